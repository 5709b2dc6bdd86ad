/** Runs the short container tests in `.ci/run`, only on a dedicated CI machine that can run a container engine. */
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { findContainerEngine } from "@wcs/store-suite/postgres/ContainerEngine"
import type { Counts } from "../Counts.ts"
import { exercise } from "./Exercise.ts"

const script = fileURLToPath(new URL("./set-up.sh", import.meta.url))

/** The set-up and the container tests take less than 6 minutes together. All of CI has 15. */
const latestStartMinutes = 9
const setUpSecondsMax = 180

/**
 * Installs Podman from Debian's packages. Returns the reason if that fails. `timeout` also ends the script's children.
 */
const setUp = async (): Promise<string | undefined> => {
  const args = ["--kill-after=5", String(setUpSecondsMax), script, "--brief"]
  const running = spawn("timeout", args, { stdio: ["ignore", "ignore", "pipe"] })
  const ended = new Promise<number | string | null>((resolve) => {
    running.once("error", ({ message }) => resolve(message)).once("close", resolve)
  })
  const said = (await text(running.stderr)).trim().split("\n").at(-1)
  const code = await ended
  if (code === 0) return undefined
  if (code === 124 || code === 137) return `the set-up takes more than ${setUpSecondsMax} s`
  return `no container engine answers, and none can be set up (${said || code})`
}

/** Runs and counts the container tests. Returns the reason if the machine cannot run them or no time is left. */
export const exerciseInCi = async (): Promise<ReadonlyArray<Counts> | string> => {
  const minutes = performance.now() / 60_000
  if (minutes > latestStartMinutes) return `the tests took ${minutes.toFixed(0)} minutes, which leaves no time`
  if ((await findContainerEngine()) === undefined) {
    const failure = await setUp()
    if (failure !== undefined) return failure
  }
  return exercise("brief")
}
