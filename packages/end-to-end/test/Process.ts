import { type ChildProcess, execFileSync, type StdioOptions, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { request as requestPlain } from "node:http"
import { request as requestTls } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const main = join(root, "apps/wcs/start.mjs")
// Makes the bundle first: some tests start programs where no bundle can be made, such as on a full disk.
execFileSync(process.execPath, [main, "--version"])

/** A temporary directory for a test. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The variables that a process inherits from the test process. */
const { HOME, NODE_COMPILE_CACHE, PATH } = process.env

/** The other variables of a process. */
export type Environment = Readonly<Record<string, string>>

/** A command line that runs another command, given at its end, under special conditions. */
export type Wrapper = ReadonlyArray<string>

const inherited = { HOME, NODE_COMPILE_CACHE, PATH }
const stdio: StdioOptions = ["ignore", "pipe", "pipe"]

const start = (args: ReadonlyArray<string>, environment: Environment, wrapper: Wrapper): ChildProcess => {
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, main, ...args]
  return spawn(command, rest, { env: { ...inherited, ...environment }, stdio })
}

/** The exit code and the output of a process. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const gather = (child: ChildProcess) => {
  const output = { stdout: "", stderr: "" }
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output.stdout += chunk
  })
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    output.stderr += chunk
  })
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...output })))
  return { output, ended }
}

/** Runs a program in the root of the workspace and waits for its end. */
export const run = (command: string, args: ReadonlyArray<string>, environment: Environment) =>
  Effect.promise(() => gather(spawn(command, args, { cwd: root, env: { ...inherited, ...environment }, stdio })).ended)

/** Runs `wcs` and waits for its end. */
export const wcs = (args: ReadonlyArray<string>, environment: Environment, wrapper: Wrapper = []) =>
  Effect.promise(() => gather(start(args, environment, wrapper)).ended)

/** A process that runs until a signal. */
export interface Running {
  readonly adminPort: number
  readonly pid: number | undefined
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Effect.Effect<Ended>
}

/** A server in its own process. */
export interface Server extends Running {
  readonly port: number
  readonly plainPort: number
  readonly certificateFile: string
  readonly setUpUrl: string | null
}

/** Starts a server on free ports. The caller must stop it. */
export const starting = (environment: Environment, wrapper: Wrapper = []): ChildProcess =>
  start(["serve", "--json"], { WCS_PORT: "0", WCS_ADMIN_PORT: "0", ...environment }, wrapper)

/** Waits until a process prints its description. The process ends with the test. */
const announced = Effect.fnUntraced(function* (start: () => ChildProcess) {
  const child = yield* Effect.acquireRelease(Effect.sync(start), (process) =>
    Effect.sync(() => process.kill("SIGKILL"))
  )
  const { ended, output } = gather(child)
  const line = yield* Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        child.stdout?.on("data", () => {
          if (output.stdout.includes("\n")) resolve(output.stdout)
        })
        child.once("close", () => reject(new Error(`the process ended: ${output.stderr}`)))
      })
  )
  const signal = (name: NodeJS.Signals) => child.kill(name)
  return { ...JSON.parse(line), pid: child.pid, signal, ended: Effect.promise(() => ended) }
})

/** Runs a server on free ports until the end of the test. Returns when it listens. */
export const serving = (environment: Environment, wrapper: Wrapper = []): Effect.Effect<Server, never, Scope.Scope> =>
  announced(() => starting(environment, wrapper))

/** Runs a worker until the end of the test. Returns when it works. */
export const working = (environment: Environment): Effect.Effect<Running, never, Scope.Scope> =>
  announced(() => start(["worker", "--json"], { WCS_ADMIN_PORT: "0", ...environment }, []))

/** The response to a request. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

export const replyOf = async (response: IncomingMessage): Promise<Reply> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString("utf8") }
}

/** Sends a request over a new connection. */
export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const send = (request: ReturnType<typeof requestPlain>, body: string | undefined) =>
  new Promise<Reply>((resolve, reject) => {
    request.once("error", reject)
    request.once("response", (response) => replyOf(response).then(resolve, reject))
    request.end(body)
  })

/** A request over TLS. */
export const ask = (
  { certificateFile, port }: Server,
  path: string,
  { body, headers = {}, method = "GET" }: Ask = {}
) =>
  Effect.promise(() => {
    const options = { method, headers, agent: false, ca: readFileSync(certificateFile) }
    return send(requestTls(`https://localhost:${port}${path}`, options), body)
  })

/** A request without TLS. */
export const askPlainly = (port: number, path: string, { body, headers = {}, method = "GET" }: Ask = {}) =>
  Effect.promise(() => send(requestPlain(`http://127.0.0.1:${port}${path}`, { method, headers, agent: false }), body))

/** The authorization header of a token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
