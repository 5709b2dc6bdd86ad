/**
 * `npm run rolling`: a rolling upgrade from the released program to the present one, and back.
 *
 * Both programs run on one Postgres, each with a server and a worker, behind one port whose requests they answer in turn.
 * The suite of the release judges them, because the present one has checks that the release cannot pass. Meanwhile a client
 * writes. The phases: both programs; the released one alone again, on the new schema; a restore of the backup that
 * the released program made before. Arguments go to the suite.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { balancerOf, type Environment, resident, shared } from "../deployment/Deployment.ts"
import { makeDns } from "../deployment/Dns.ts"
import { judgedSettings } from "../deployment/JudgedSettings.ts"
import { caller, writing } from "../deployment/Writer.ts"
import { checkOut, findRelease } from "./Released.ts"

const wcs = "apps/wcs/start.mjs"
/**
 * A rule that compares the answers to two calls. While both programs answer, one of them may have a field that the other
 * lacks, which COMPATIBILITY.md allows. Each program is judged by this rule alone, too.
 */
const comparing = "AUT-10"

/** The time limit of a run of the suite. */
const suiteMillis = 15 * 60_000

const folder = mkdtempSync(join(tmpdir(), "wcs-rolling-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
const { HOME, NODE_COMPILE_CACHE, PATH } = process.env
const base = { HOME, NODE_COMPILE_CACHE, PATH }

const release = findRelease()
console.log(`released: ${release.commit.slice(0, 12)} (${release.reason})`)
const { root, version } = checkOut(release)
console.log(`released program: ${version}`)

/** Runs the released program to its end and returns its output as JSON. */
const released = (args: ReadonlyArray<string>, env: Environment) =>
  JSON.parse(execFileSync(process.execPath, [wcs, ...args, "--json"], { cwd: root, env, encoding: "utf8" }))

const ended = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)))

/** Gives the profile the logins of the release's own deployments, by a program of the release. */
const addLogins = async (files: object): Promise<void> => {
  const folders = [".dev", "packages/end-to-end/src/deployment"].map((place) => join(root, place)).filter(existsSync)
  const found = folders.flatMap((place) =>
    readdirSync(place).flatMap((name) => (/^(logins|dns)\.ts$/i.test(name) ? [join(place, name)] : []))
  )
  const [dnsFile, loginsFile] = found.toSorted()
  if (dnsFile === undefined || loginsFile === undefined) throw new Error("the release has no logins for its profile")
  const lines = [
    ["import", "{ addLogins }", "from", JSON.stringify(loginsFile)],
    ["import", "{ makeDns }", "from", JSON.stringify(dnsFile)],
    [`const files = ${JSON.stringify(files)}`],
    [`await addLogins({ ...files, dns: makeDns(${JSON.stringify(dnsRecords)}) })`]
  ]
  const program = lines.map((words) => words.join(" ")).join("\n")
  const args = ["--input-type=module", "-e", program]
  // It calls the servers by the balancer of this process.
  const code = await ended(spawn(process.execPath, args, { cwd: root, env: base, stdio: "inherit" }))
  if (code !== 0) throw new Error("the release could not add its logins to the profile")
}

const dnsRecords = join(folder, "dns.json")
const dns = makeDns(dnsRecords)
const { end, environment } = await shared(folder, { ...dns.environment, ...base, ...judgedSettings })
const on = (machine: string, ports: Environment = {}) => ({ ...environment, WCS_DATA: join(folder, machine), ...ports })

const older = await resident("serve", on("released-server"), root)
const olderWorker = await resident("worker", on("released-worker"), root)
const admin = (...args: ReadonlyArray<string>) => released(["admin", ...args], on("released-server"))
const [{ name: tenant }] = admin("list-tenants").tenants
admin("create-user", "--tenant", tenant, "--email", "writer@example.org", "--role", "Super Admin")
const { token } = admin("create-token", "--tenant", tenant, "--email", "writer@example.org", "--name", "writer")
const early = await caller(older, token)("POST", "/workers", { identity: { displayName: "Ann Example" } })
const backup = join(folder, "store.backup")
released(["backup", backup], on("released-server"))

// The present server migrates the store while the released one serves.
const present = await resident("serve", on("present-server"))
const presentWorker = await resident("worker", on("present-worker"))
let answering: "both" | "released" | "present" = "released"
/**
 * What a proxy sends to the released program alone until the upgrade is over: it does not know the issuer of access tokens
 * of later programs, and names the cookies of web login otherwise at this port (packages/deployment/README.md#upgrade).
 */
const staysReleased = /^\/(openapi\/v1\/oauth\/token|login|logout|account|saml|oidc|console)\b/
const balancer = await balancerOf([older, present], (url, turn) =>
  answering === "both" && !staysReleased.test(url) ? turn % 2 : Number(answering === "present")
)
const { certificateFile } = older
const place = { port: balancer.port, certificateFile }
const [profile, secrets] = [join(folder, "profile.json"), join(folder, "secrets.env")]

/** The rules that the last run of the suite found broken. */
const broken = (): ReadonlyArray<string> => {
  const { rules } = JSON.parse(readFileSync(join(root, "conformance-report/report.json"), "utf8"))
  return rules.flatMap(({ id, verdict }: { readonly id: string; readonly verdict: string }) =>
    verdict === "fail" ? [id] : []
  )
}

/** Runs the suite. Returns the rules that are broken, or that it ended early. */
const judge = async (phase: string, ...further: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const known = parseEnv(readFileSync(secrets, "utf8"))
  const args = ["conformance/src/main.ts", "run", "--profile", profile, ...further, ...process.argv.slice(2)]
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...base, ...known },
    timeout: suiteMillis
  })
  const code = await ended(child)
  console.log(`${phase}: the suite ended with ${code}; requests to each server: ${balancer.passedOn.join(" and ")}`)
  if (code === 0) return []
  return code === 1 ? broken() : [`the suite ended with ${code}`]
}

/** The released program on its own backup, in an empty database. */
const restored = async (): Promise<boolean> => {
  const again = await shared(mkdtempSync(join(folder, "again-")), { ...base, ...judgedSettings })
  const env = { ...again.environment, WCS_MASTER_KEY_FILE: environment.WCS_MASTER_KEY_FILE }
  released(["restore", backup], { ...env, WCS_DATA: join(folder, "restored") })
  const server = await resident("serve", { ...env, WCS_DATA: join(folder, "restored") }, root)
  const { id } = JSON.parse(early.text).data
  const { status } = await caller(server, token)("GET", `/workers/${id}`)
  await server.end()
  await again.end()
  return status === 200
}

const isRefused = (): boolean => {
  const env = on("released-again")
  mkdirSync(env.WCS_DATA, { mode: 0o700 })
  const { status, stderr } = spawnSync(process.execPath, [wcs, "serve"], { cwd: root, env, encoding: "utf8" })
  console.log(`a start of the released program on the new schema: ${status}: ${stderr.trim()}`)
  return status === 2
}

try {
  const url = `https://localhost:${balancer.port}`
  const files = ["--out", profile, "--env", secrets, "--ca-file", certificateFile]
  released(["conformance-profile", "--url", url, ...files], on("released-server"))
  await addLogins({ profile, secrets, certificate: certificateFile, environment: on("released-server"), url })
  answering = "both"
  const writer = writing(place, token)
  const checks: Record<string, boolean> = {}
  checks["both programs"] = (await judge("both programs")).every((rule) => rule === comparing)
  answering = "present"
  checks[`the present program alone, by ${comparing}`] =
    (await judge("present program", "--only", comparing)).length === 0
  answering = "released"
  await Promise.all([present.end(), presentWorker.end()])
  checks["the released program alone, on the new schema"] = (await judge("the released program alone")).length === 0
  const { acknowledged, lost } = await writer.stop()
  console.log(`${acknowledged} acknowledged writes, ${lost} lost`)
  checks["no acknowledged write is lost"] = lost === 0 && acknowledged > 0
  checks["a new start of the released program is refused"] = isRefused()
  checks["the released program serves its own backup"] = await restored()
  for (const [check, isGood] of Object.entries(checks)) console.log(`${isGood ? "ok    " : "FAILED"} ${check}`)
  process.exitCode = Object.values(checks).every((isGood) => isGood) ? 0 : 1
} finally {
  balancer.close()
  await Promise.all([older, olderWorker].map((one) => one.end()))
  await end()
}
