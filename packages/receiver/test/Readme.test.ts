import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { idOf, secretText, verified } from "./sender.ts"

const folder = new URL("..", import.meta.url)
const readme = readFileSync(new URL("README.md", folder), "utf8")

/** The code block after a comment with its name. */
const block = (name: string): string => {
  const [, code] = new RegExp(`<!-- example: ${name} -->\n\`\`\`\\w+\n(.*?)^\`\`\`$`, "ms").exec(readme) ?? []
  if (code === undefined) throw new Error(`the README has no example ${name}`)
  return code
}

/** Runs a program that prints its port. Returns the port and the lines that follow. */
const running = (code: string, env: Record<string, string>) =>
  Effect.gen(function* () {
    const program = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--input-type=module", "--eval", code], {
          cwd: fileURLToPath(folder),
          env: { ...process.env, PORT: "0", SECRET: secretText(1), ...env },
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (child) =>
        Effect.promise(async () => {
          const ended = new Promise((resolve) => child.once("exit", resolve))
          if (child.exitCode === null && child.kill()) await ended
        })
    )
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
    const nextLine = Effect.map(
      Effect.promise(() => lines.next()),
      ({ value }) => String(value)
    )
    const [, port] = /^listening on port (\d+)$/.exec(yield* nextLine) ?? []
    assert.isDefined(port)
    return { port, nextLine }
  })

/** Sends like a sender that uses the public package of Standard Webhooks. */
const deliver = (port: string | undefined, id: string, ...secrets: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const body = JSON.stringify(verified(id))
    const at = new Date()
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body,
      headers: {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
        "x-service-delivery": id
      }
    })
    return response.status
  })

const [old, fresh] = [secretText(1), secretText(2)]
const printed = block("printed").trimEnd()

describe("the example of the README", () => {
  it.live("EVT-12: prints a verdict once, and none without a valid signature", () =>
    Effect.gen(function* () {
      const { nextLine, port } = yield* running(block("receive.mjs"), {})
      const statuses = [
        yield* deliver(port, idOf(1), fresh),
        yield* deliver(port, idOf(1), old),
        yield* deliver(port, idOf(1), old),
        yield* deliver(port, idOf(2), old, fresh)
      ]
      assert.deepStrictEqual(statuses, [401, 204, 204, 204])
      assert.deepStrictEqual([yield* nextLine, yield* nextLine], [printed, printed])
    })
  )

  it.live("EVT-11: accepts both secrets for a day after the rotation, then only the new one", () =>
    Effect.gen(function* () {
      const statusesOf = Effect.fnUntraced(function* (replacedAt: number) {
        const env = { SECRET: fresh, FORMER_SECRET: old, REPLACED_AT: new Date(replacedAt).toISOString() }
        const { port } = yield* running(block("receive.mjs"), env)
        return [yield* deliver(port, idOf(1), old), yield* deliver(port, idOf(2), fresh)]
      })
      assert.deepStrictEqual(yield* statusesOf(Date.now() - 23 * 3_600_000), [204, 204])
      assert.deepStrictEqual(yield* statusesOf(Date.now() - 25 * 3_600_000), [401, 204])
    })
  )

  it.live("EVT-12: remembers across a restart with the lines for that", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-readme-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const code = block("durable") + block("receive.mjs").replace("PlainReceiver.make({", "PlainReceiver.make({ log,")
      const run = (...ids: ReadonlyArray<string>) =>
        Effect.scoped(
          Effect.gen(function* () {
            const { nextLine, port } = yield* running(code, { DATABASE: join(directory, "deliveries.db") })
            const statuses = yield* Effect.forEach(ids, (id) => deliver(port, id, old))
            return { statuses, line: yield* nextLine }
          })
        )
      assert.deepStrictEqual(yield* run(idOf(1)), { statuses: [204], line: printed })
      assert.deepStrictEqual(yield* run(idOf(1), idOf(2)), { statuses: [204, 204], line: printed })
    })
  )
})
