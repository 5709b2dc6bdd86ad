/**
 * `npm run conformance`: starts our server on a free port over a fresh store, has it write its profile, and judges it as
 * anybody else would: three command lines, each in a process of its own. With `--postgres` there are two servers and two
 * workers on one Postgres behind one port, and with `--unsteady` besides one of either is killed and started again all the
 * time. With `--delay=200` every answer takes so many milliseconds more, and with `--resets=2` the connection breaks at so
 * many of a hundred requests. Whatever else is given goes to the suite.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { embedded, spread } from "./deployment.ts"
import { makeDns } from "./dns.ts"
import { addLogins } from "./logins.ts"
import { network } from "./network.ts"

const wcs = "apps/wcs/src/main.ts"
const suite = "conformance/src/main.ts"

/** No rule is to wait for a limit but those of limits, which have a principal of their own. */
const raised = "1000000"

const folder = mkdtempSync(join(tmpdir(), "wcs-conformance-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const { HOME, PATH } = process.env
// the domain of an identity provider is verified by a TXT record, which nobody publishes for this machine
const dns = makeDns(join(folder, "dns.json"))
const settings = {
  ...dns.environment,
  HOME,
  PATH,
  WCS_LOG_LEVEL: "warn",
  WCS_PORT: "0",
  WCS_ADMIN_PORT: "0",
  WCS_RATE_STANDARD: raised,
  WCS_RATE_INTENSIVE: raised,
  WCS_RATE_UNAUTHENTICATED: raised,
  WCS_RATE_TOKEN_FAILURES: raised,
  WCS_RATE_ADDRESS_FAILURES: raised,
  WCS_RATE_LOGIN_FAILURES: raised,
  WCS_RATE_TOKENS_ISSUED: raised,
  // the suite's receiver is this machine's own, and what it turns away is to be tried again while it waits
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.0/8",
  WCS_WEBHOOK_RETRIES: "200ms,400ms,800ms,2s"
}

const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)))

/** Runs a command line to its end. */
const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<number> =>
  ended(spawn(process.execPath, args, { stdio: "inherit", env }))

const own = ["--postgres", "--unsteady", "--delay=", "--resets="]
const asked = process.argv.slice(2)
const forSuite = asked.filter((argument) => !own.some((name) => argument.startsWith(name)))
const isUnsteady = asked.includes("--unsteady")

const numberOf = (name: string, usual = "0"): number => {
  const [given = usual] = asked.flatMap((argument) => (argument.startsWith(name) ? [argument.slice(name.length)] : []))
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given)
  console.error(`${name} takes a number`)
  process.exit(2)
}
const way = { delayMillis: numberOf("--delay="), resetPercent: numberOf("--resets="), seed: numberOf("--seed=", "11") }
const isFar = way.delayMillis > 0 || way.resetPercent > 0

/** Lets a profile say what a deployment asks for whose answers are lost: more calls, and the time that they take. */
const bearing = (file: string): void => {
  const profile = JSON.parse(readFileSync(file, "utf8"))
  const run = { ...profile.run, requests: 20_000, secondsInAll: 900 }
  // what a worker had claimed that was killed is another's after two minutes
  const receiver = isUnsteady ? { ...profile.receiver, patienceSeconds: 150 } : profile.receiver
  writeFileSync(file, JSON.stringify({ ...profile, run, receiver }))
}

const judge = async (): Promise<number> => {
  const start = isUnsteady || asked.includes("--postgres") ? spread : embedded
  const deployment = await start(folder, settings)
  const between = isFar ? await network(deployment.port, way) : undefined
  try {
    const [profile, secrets] = [join(folder, "profile.json"), join(folder, "secrets.env")]
    const files = ["--out", profile, "--env", secrets, "--ca-file", deployment.certificateFile]
    const url = `https://localhost:${between?.port ?? deployment.port}`
    const written = await run([wcs, "conformance-profile", "--url", url, ...files], deployment.environment)
    if (written !== 0) return written
    const { certificateFile: certificate, environment, port } = deployment
    await addLogins({ profile, secrets, certificate, environment, url: `https://localhost:${port}`, dns })
    if (isUnsteady || isFar) bearing(profile)
    if (isUnsteady) deployment.disturb()
    const known = parseEnv(readFileSync(secrets, "utf8"))
    return await run([suite, "run", "--profile", profile, ...forSuite], { HOME, PATH, ...known })
  } finally {
    for (const told of [deployment.told(), between?.told() ?? ""]) if (told !== "") console.log(told)
    between?.close()
    await deployment.end()
  }
}

process.exitCode = await judge()
