/**
 * `npm run demo`: serves a made-up organization, to try the console. `--workers=N` sets the number of workers, `--json`
 * prints one line of JSON for programs. Everything is removed at the end.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { type Deployment, embedded } from "@wcs/end-to-end/deployment/Deployment"
import { codeAt } from "@wcs/end-to-end/Totp"
import { visitor } from "@wcs/end-to-end/Visitor"
import { serve } from "@wcs/register/ReferenceGateway"
import { fill } from "./fill.ts"
import { cardsOf } from "./people.ts"
import { openReceiver } from "./receiver.ts"

const { values } = parseArgs({
  options: {
    workers: { type: "string", default: "2000" },
    port: { type: "string", default: "8443" },
    json: { type: "boolean", default: false }
  }
})
const workers = Number(values.workers)
if (!Number.isSafeInteger(workers) || workers < 1 || workers > 1_000_000) {
  console.error("--workers takes a whole number from 1 to 1000000")
  process.exit(2)
}

const email = "admin@demo.example"
const password = "a demo of the console"
const unlimited = "1000000"

const folder = mkdtempSync(join(tmpdir(), "wcs-demo-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))

const receiver = await openReceiver()
const secretFile = join(folder, "register-secret")
const token = "a made-up token"
writeFileSync(secretFile, token, { mode: 0o600 })
const gateway = await serve({ token, cards: cardsOf(workers + Math.ceil(workers / 10)) })
const settings = {
  ...process.env,
  WCS_PORT: values.port,
  WCS_ADMIN_PORT: "0",
  WCS_LOG_LEVEL: "error", // a webhook is broken
  WCS_REGISTER: "http",
  WCS_REGISTER_URL: gateway.url,
  WCS_REGISTER_SECRET_FILE: secretFile,
  WCS_RATE_STANDARD: unlimited,
  WCS_RATE_INTENSIVE: unlimited,
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1"
}

/** Runs a command of `wcs admin`, and returns what it prints. */
const admin = async ({ environment }: Pick<Deployment, "environment">, ...args: ReadonlyArray<string>) => {
  const command = ["apps/wcs/start.mjs", "admin", ...args, "--json"]
  return JSON.parse((await promisify(execFile)(process.execPath, command, { env: environment })).stdout)
}

// Registers that answer only accounts of an employer have those of the tenant, which the first start creates.
const first = await embedded(folder, settings)
const { tenants } = await admin(first, "list-tenants")
await first.end()
const service = await embedded(folder, { ...settings, WCS_REGISTER_ACCOUNTS_OF: tenants[0].id })
const origin = `https://localhost:${service.port}`
const ca = readFileSync(service.certificateFile, "utf8")

/** The first Super Admin, created on the set-up page and enrolled with an authenticator app. */
const person = visitor(origin, ca)
await person.post(new URL(service.setUpUrl).pathname, { email, password })
const { seed } = await person.post("/login/enrol", {})
await person.post("/login/confirm", { code: codeAt(String(seed), Date.now()) })

const { token: adminToken } = await admin(service, "create-token", "--email", email, "--name", "demo")

const begun = performance.now()
await fill({ origin, ca, token: adminToken, person, receiver }, workers)
const seconds = ((performance.now() - begun) / 1000).toFixed(1)

const address = `${origin}/console`
if (values.json) {
  console.log(JSON.stringify({ address, certificateFile: service.certificateFile, email, password, seed }))
} else {
  console.log(
    [
      `${workers} workers were created in ${seconds} s. Open the console:`,
      `  ${address}`,
      `  email     ${email}`,
      `  password  ${password}`,
      `  code      ${codeAt(String(seed), Date.now() + 30_000)} (for the next 30 seconds, then from an app with the key ${seed})`,
      "",
      `Browsers do not trust the certificate of the demo. It is ${service.certificateFile}`,
      "Ctrl-C ends the demo and removes its data."
    ].join("\n")
  )
}
