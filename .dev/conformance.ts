/**
 * `npm run conformance`: starts our server on a free port over a fresh store, has it write its profile, and judges it as
 * anybody else would: three command lines, each in a process of its own. Whatever else is given goes to the suite.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"

const wcs = "apps/wcs/src/main.ts"
const suite = "conformance/src/main.ts"

/** No rule is to wait for a limit but those of limits, which have a principal of their own. */
const raised = "1000000"

const folder = mkdtempSync(join(tmpdir(), "wcs-conformance-"))
const { HOME, PATH } = process.env
const environment = {
  HOME,
  PATH,
  WCS_DATA: join(folder, "data"),
  WCS_PORT: "0",
  WCS_ADMIN_PORT: "0",
  WCS_RATE_STANDARD: raised,
  WCS_RATE_INTENSIVE: raised,
  WCS_RATE_UNAUTHENTICATED: raised,
  WCS_RATE_TOKEN_FAILURES: raised,
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

/** Where the server says that it listens; it has ended where it says nothing. */
const listening = (server: ChildProcess): Promise<{ readonly port: number }> =>
  new Promise((resolve, reject) => {
    let told = ""
    server.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      told += chunk
      if (told.includes("\n")) resolve(JSON.parse(told))
    })
    server.once("close", () => reject(new Error("the server did not start")))
  })

const judge = async (): Promise<number> => {
  const server = spawn(process.execPath, [wcs, "serve", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...environment, WCS_LOG_LEVEL: "warn" }
  })
  try {
    const { port } = await listening(server)
    const [profile, secrets] = [join(folder, "profile.json"), join(folder, "secrets.env")]
    const files = ["--out", profile, "--env", secrets]
    const written = await run([wcs, "conformance-profile", "--url", `https://localhost:${port}`, ...files], environment)
    if (written !== 0) return written
    const known = parseEnv(readFileSync(secrets, "utf8"))
    return await run([suite, "run", "--profile", profile, ...process.argv.slice(2)], { HOME, PATH, ...known })
  } finally {
    server.kill("SIGTERM")
    await ended(server)
  }
}

try {
  process.exitCode = await judge()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
