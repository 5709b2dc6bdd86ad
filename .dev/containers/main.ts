/** `npm run containers`: fails on a machine that has no container engine. */
import { conclude } from "../running.ts"
import { exercise } from "./exercise.ts"

const counts = await exercise("whole")
if (typeof counts === "string") {
  console.error(`The container tests cannot run: ${counts}. On Debian .dev/containers/set-up.sh sets up Podman.`)
  process.exitCode = 1
} else conclude(counts)
