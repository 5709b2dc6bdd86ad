/** `npm run browser`: fails on a machine that has no Chromium. */
import { conclude, tests } from "../Running.ts"
import { missing } from "./Chromium.ts"

const reason = missing()
if (reason === undefined)
  conclude([await tests("packages/end-to-end/src/browser/vitest.config.ts", process.argv.slice(2))])
else {
  console.error(
    `The browser tests cannot run: ${reason}. On Debian packages/end-to-end/src/browser/set-up.sh installs it.`
  )
  process.exitCode = 1
}
