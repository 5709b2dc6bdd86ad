/** Moves the tenant of a deployment between its two databases, with a kill at each part, while somebody writes. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { promisify } from "node:util"
import type { Deployment, Environment } from "./Deployment.ts"
import { writing } from "./Writer.ts"

const wcs = "apps/wcs/start.mjs"
const run = promisify(execFile)

/** The parts that are killed, as the command names them. */
const parts = ["copy", "fence", "pause", "freeze", "difference", "take", "switch", "drain", "put aside"]

const closed = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve))

/** Runs `wcs move-tenant` and kills it as soon as it begins a part. Returns its output if it ended before. */
const move = async (environment: Environment, args: ReadonlyArray<string>, killedAt?: string) => {
  const child = spawn(process.execPath, [wcs, "move-tenant", "default", ...args, "--json"], { env: environment })
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk
    if (killedAt !== undefined && stderr.split("\n").some((line) => line.startsWith(`${killedAt}:`)))
      child.kill("SIGKILL")
  })
  const code = await closed(child)
  if (code !== 0 && code !== null) throw new Error(`move-tenant ${args.join(" ")} ended with ${code}: ${stderr}`)
  return code === null ? undefined : JSON.parse(stdout)
}

/** Moves the tenant there and back. Each part of each move is killed once, in a run of its own. */
const thereAndBack = async (environment: Environment, cell: string) => {
  const frozen: Array<number> = []
  let kills = 0
  for (const to of [cell, "main"]) {
    for (const part of parts) {
      if ((await move(environment, ["--to", to], part)) === undefined) kills += 1
    }
    const { frozenMillis } = (await move(environment, ["--to", to])) ?? {}
    frozen.push(Number(frozenMillis))
    await move(environment, ["--finish"])
  }
  // Once more without kills: for the time that the command measures itself.
  for (const to of [cell, "main"]) {
    frozen.push(Number((await move(environment, ["--to", to]))?.frozenMillis))
    await move(environment, ["--finish"])
  }
  return { frozen, kills }
}

/** Moves the tenant from now on. `ended` waits for two moves, then returns what was measured. */
export const keepMoving = async (deployment: Deployment) => {
  const { cell = "", environment } = deployment
  const admin = (...args: ReadonlyArray<string>) =>
    run(process.execPath, [wcs, "admin", ...args, "--tenant", "default", "--json"], { env: environment })
  const email = "moving@example.org"
  await admin("create-user", "--email", email, "--role", "Super Admin")
  const { stdout } = await admin("create-token", "--email", email, "--name", "moving")
  const writer = writing(deployment, JSON.parse(stdout).token)
  const moving = thereAndBack(environment, cell)
  moving.catch(() => undefined) // reported by `ended`
  return {
    ended: async () => {
      const { frozen, kills } = await moving
      const { acknowledged, lost, slowestMillis } = await writer.stop()
      const verified = await run(process.execPath, [wcs, "audit", "verify", "--json"], { env: environment }).then(
        () => true,
        () => false
      )
      return {
        isGood: lost === 0 && verified && kills === 2 * parts.length,
        text:
          `moved 4 times, killed ${kills} times; ${acknowledged} acknowledged writes, ${lost} lost; audit log ` +
          `${verified ? "verified" : "NOT verified"}; frozen without a kill: ${frozen.slice(2).join(" and ")} ms; ` +
          `the slowest write, with its repetitions, took ${slowestMillis} ms`
      }
    }
  }
}
