/**
 * `npm run conformance`: judges our own server by the conformance suite.
 *
 * Starts a server on a free port over a fresh store, writes its profile, and runs the suite. Each step is a command
 * line in its own process. `--postgres` starts two servers and two workers on one Postgres behind one port, `--database`
 * on the one of `DATABASE_URL`.
 * `--unsteady` also kills and restarts one server or worker after the other. `--delay=200` delays every response by
 * 200 ms. `--moving` starts them on two databases, and moves the tenant there and back meanwhile, with a kill at each
 * part. `--resets=2` resets the connection of 2 percent of the requests. All other arguments go to the suite.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { celled, embedded, spread } from "../deployment/Deployment.ts"
import { makeDns } from "../deployment/Dns.ts"
import { judgedSettings } from "../deployment/JudgedSettings.ts"
import { addLogins } from "../deployment/Logins.ts"
import { keepMoving } from "../deployment/Moving.ts"
import { network } from "../deployment/Network.ts"

const wcs = "apps/wcs/start.mjs"
const suite = "conformance/src/main.ts"

const folder = mkdtempSync(join(tmpdir(), "wcs-conformance-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const { HOME, NODE_COMPILE_CACHE, PATH } = process.env
// The domain of an identity provider is verified by a TXT record, which does not exist for this machine.
const dns = makeDns(join(folder, "dns.json"))
const settings = { ...dns.environment, HOME, NODE_COMPILE_CACHE, PATH, ...judgedSettings }

const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)))

/** Runs a command line to its end and returns its exit code. */
const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<number> =>
  ended(spawn(process.execPath, args, { stdio: "inherit", env }))

const own = ["--postgres", "--database", "--unsteady", "--moving", "--delay=", "--resets="]
const asked = process.argv.slice(2)
const forSuite = asked.filter((argument) => !own.some((name) => argument.startsWith(name)))
const isMoving = asked.includes("--moving")
const isUnsteady = asked.includes("--unsteady")

const numberOf = (name: string, usual = "0"): number => {
  const [given = usual] = asked.flatMap((argument) => (argument.startsWith(name) ? [argument.slice(name.length)] : []))
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given)
  console.error(`${name} needs a number`)
  process.exit(2)
}
const way = { delayMillis: numberOf("--delay="), resetPercent: numberOf("--resets="), seed: numberOf("--seed=", "11") }
const isFar = way.delayMillis > 0 || way.resetPercent > 0

/** Gives the profile more calls and more time for a deployment that loses responses. */
const bearing = (file: string): void => {
  const profile = JSON.parse(readFileSync(file, "utf8"))
  const run = { ...profile.run, requests: 20_000, secondsInAll: 900 }
  writeFileSync(file, JSON.stringify({ ...profile, run }))
}

const judge = async (): Promise<number> => {
  const hasDatabase = asked.includes("--database")
  const isSpread = isUnsteady || hasDatabase || asked.includes("--postgres")
  const start = isMoving ? celled : isSpread ? spread : embedded
  const { DATABASE_URL } = process.env
  const deployment = await start(folder, hasDatabase ? { ...settings, DATABASE_URL } : settings)
  const between = isFar ? await network(deployment.port, way) : undefined
  try {
    const [profile, secrets] = [join(folder, "profile.json"), join(folder, "secrets.env")]
    const files = ["--out", profile, "--env", secrets, "--ca-file", deployment.certificateFile]
    const url = `https://localhost:${between?.port ?? deployment.port}`
    const written = await run([wcs, "conformance-profile", "--url", url, ...files], deployment.environment)
    if (written !== 0) return written
    const { certificateFile: certificate, environment, port } = deployment
    await addLogins({ profile, secrets, certificate, environment, url: `https://localhost:${port}`, dns })
    if (isUnsteady || isFar || isMoving) bearing(profile)
    if (isUnsteady) deployment.disturb()
    const known = parseEnv(readFileSync(secrets, "utf8"))
    const moving = isMoving ? await keepMoving(deployment) : undefined
    const judged = await run([suite, "run", "--profile", profile, ...forSuite], {
      HOME,
      NODE_COMPILE_CACHE,
      PATH,
      ...known
    })
    const figures = await moving?.ended()
    if (figures === undefined) return judged
    console.log(figures.text)
    return figures.isGood ? judged : 1
  } finally {
    for (const told of [deployment.told(), between?.told() ?? ""]) if (told !== "") console.log(told)
    between?.close()
    await deployment.end()
  }
}

process.exitCode = await judge()
