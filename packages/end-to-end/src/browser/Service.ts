/** The service that the tests visit: one server with SQLite, or two with Postgres behind one port. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext } from "playwright-core"
import { type Deployment, type Environment, embedded, spread } from "../deployment/Deployment.ts"
import { open } from "./Chromium.ts"
import { type Machine, makeMachine } from "./Machine.ts"
import { call, enrol, type Factor } from "./Pages.ts"

export const password = "correct horse battery staple"

export interface Service {
  readonly origin: string
  readonly certificateFile: string
  readonly machine: Machine
  /** The environment for command lines on the service. */
  readonly environment: Environment
  /** The Super Admin of the first run, and a browser with their session. */
  readonly admin: Factor & { readonly context: BrowserContext; readonly email: string }
  /** Another person's browser, with its own cookies. */
  readonly visit: (javaScript?: boolean) => Promise<BrowserContext>
  /** Invites a user, and returns the invite link. */
  readonly invite: (email: string, role?: string) => Promise<string>
  /** Kills the servers. The returned function starts them again. */
  readonly interrupt: Deployment["interrupt"]
  /** Ends everything. Fails if a server got no request. */
  readonly end: () => Promise<void>
}

/** The name of a cookie of web login at the port of the service. */
export const cookieName = (
  { origin }: Pick<Service, "origin">,
  kind: "" | "-device" | "-login" | "-sso" = ""
): string => `__Host-wcs${kind}-${new URL(origin).port}`

const engine = process.env["WCS_BROWSER_ENGINE"] ?? "sqlite"

/** All visitors come from one address, which shares the limit of calls without a login. */
const raised = "1000000"

const environmentOf = (machine: Machine) => ({
  HOME: process.env["HOME"],
  PATH: process.env["PATH"],
  WCS_LOG_LEVEL: "warn",
  WCS_PORT: "0",
  WCS_ADMIN_PORT: "0",
  WCS_RATE_UNAUTHENTICATED: raised,
  // The OpenID provider of the tests listens on this machine, without TLS.
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.0/8",
  ...machine.environment
})

/** Creates the first Super Admin by the set-up page, without script. */
const firstRun = async (context: BrowserContext, { setUpUrl }: Deployment, machine: Machine, email: string) => {
  const page = await context.newPage()
  await page.goto(setUpUrl)
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button").click()
  const factor = await enrol(page, machine)
  await page.close()
  return factor
}

const isEveryServerAsked = (told: string): boolean =>
  engine === "sqlite" || /requests to each server: [1-9]\d* and [1-9]\d*/.test(told)

/** Starts the service and a browser, and creates the first Super Admin. `more` are further variables of the servers. */
export const start = async (more: Environment = {}): Promise<Service> => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-browser-"))
  const machine = makeMachine(join(folder, "machine.json"))
  const deployment = await (engine === "postgres" ? spread : embedded)(folder, { ...environmentOf(machine), ...more })
  const { browser, close } = await open(deployment.certificateFile)
  const origin = `https://localhost:${deployment.port}`
  const visit = (javaScript = true) => browser.newContext({ javaScriptEnabled: javaScript })
  const email = "admin@example.org"
  const context = await visit(false)
  const factor = await firstRun(context, deployment, machine, email)
  return {
    origin,
    certificateFile: deployment.certificateFile,
    machine,
    environment: deployment.environment,
    admin: { ...factor, context, email },
    visit,
    invite: async (invited, role = "Viewer") => {
      const { json, status } = await call(context, origin, "POST", "/users", { email: invited, role })
      if (status !== 201) throw new Error(`the invite of ${invited} was answered by ${status}`)
      return json.data.inviteUrl
    },
    interrupt: deployment.interrupt,
    end: async () => {
      const told = deployment.told()
      await close()
      await deployment.end()
      rmSync(folder, { recursive: true, force: true })
      if (!isEveryServerAsked(told)) throw new Error(told)
    }
  }
}
