/** `npm run browser`: fails on a machine that has no Chromium. */
import { conclude, tests } from "../running.ts"
import { missing } from "./chromium.ts"

const reason = missing()
if (reason === undefined) conclude([await tests(".dev/browser/vitest.config.ts", process.argv.slice(2))])
else {
  console.error(`The browser tests cannot run: ${reason}. On Debian .dev/browser/set-up.sh installs it.`)
  process.exitCode = 1
}
