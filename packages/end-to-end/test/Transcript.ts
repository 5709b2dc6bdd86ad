import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inProcess } from "./InProcess.ts"
import { ask, bearer, type Environment, type Server } from "./Process.ts"

/** The results by name. */
export type Results = Map<string, unknown>

/** Fills in the values of earlier results: `<name.path>`. */
const filled = (text: string, results: Results): string =>
  text.replaceAll(/<(\w+)((?:\.\w+)*)>/g, (reference, name: string, path: string) => {
    const value = (path.match(/\w+/g) ?? []).reduce<unknown>((found, key) => Object(found)[key], results.get(name))
    if (typeof value !== "string" && typeof value !== "number") throw new Error(`there is no ${reference}`)
    return String(value)
  })

const pattern = (text: string): RegExp => {
  const literal = text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${literal.replaceAll("*", "[^]*").replaceAll("…", '[^"]*')}$`)
}

/**
 * The status and text of a call of the API below `/openapi/v1`, or of the legacy one below `/api`: the method, the path,
 * a token or `email:password`, and a body of JSON or form fields.
 */
const call = Effect.fnUntraced(function* (step: string, server: Server | undefined) {
  if (server === undefined) throw new Error(`${step} needs a server`)
  const [, method = "", host = "localhost", path = "", by, body] =
    /^(\w+) ([^/ ]+)?(\/\S*)(?: ([^{=\s]+))?(?: (.+))?$/.exec(step) ?? []
  const basic = { authorization: `Basic ${Buffer.from(by ?? "").toString("base64")}` }
  const type = body?.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded"
  const { status, text } = yield* ask(server, path.startsWith("/api/") ? path : `/openapi/v1${path}`, {
    method,
    headers: {
      host,
      ...(by === undefined ? {} : by.includes(":") ? basic : bearer(by)),
      ...(body === undefined ? {} : { "content-type": type })
    },
    ...(body === undefined ? {} : { body })
  })
  return `${status} ${text}`
})

/** The exit code, and the object on standard output or the error on standard error. Nothing may be on the other. */
const run = Effect.fnUntraced(function* (line: string, environment: Environment) {
  const words = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, quoted, word = ""]) => quoted ?? word)
  const { code, stderr, stdout } = yield* inProcess(["admin", ...words, "--json"], environment)
  assert.strictEqual(code === 0 ? stderr : stdout, "", line)
  if (code === 0) return stdout
  const { error } = JSON.parse(stderr)
  return `${code} ${error.code} ${error.message}`
})

/**
 * Replays a transcript of `wcs admin`. `$ command` is followed by the object that it prints, or by its exit code and
 * error. `GET path token` is followed by the status of the API and a part of its answer. `sql` changes the SQLite store.
 * `name = ` before a command or a call keeps its result. In expected text `…` is any text in quotes and `*` any text.
 */
export const replay = Effect.fnUntraced(function* (
  transcript: string,
  environment: Environment,
  results: Results,
  server?: Server
) {
  const lines = transcript.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const next = lines.values()
  for (const line of next) {
    const [, name, step = ""] = /^(?:(\w+) = )?(.*)$/.exec(filled(line, results)) ?? []
    if (step.startsWith("sql ")) {
      using database = new DatabaseSync(join(environment["WCS_DATA"] ?? "", "wcs.sqlite"), { timeout: 5_000 })
      database.exec(step.slice(4))
      continue
    }
    const expected = filled(next.next().value ?? "", results)
    const isCommand = step.startsWith("$ ")
    const answer = isCommand ? yield* run(step.slice(2), environment) : yield* call(step, server)
    assert.match(answer, pattern(isCommand ? expected : `${expected}*`), step)
    if (name !== undefined) results.set(name, JSON.parse(answer.replace(/^\d{3} /, "")))
  }
})
