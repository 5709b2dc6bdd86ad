/** `npm run containers`: fails on a machine that has no container engine. */
import { conclude } from "../Running.ts"
import { exercise } from "./Exercise.ts"

const counts = await exercise("whole")
if (typeof counts === "string") {
  const script = "packages/end-to-end/src/containers/set-up.sh"
  console.error(`The container tests cannot run: ${counts}. On Debian ${script} sets up Podman.`)
  process.exitCode = 1
} else conclude(counts)
