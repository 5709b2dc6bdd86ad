import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makeAcs, services } from "./Acs.ts"
import { corpus } from "./corpus/Corpus.ts"
import { acsUrl } from "./corpus/Forge.ts"
import { goodResponses } from "./Good.ts"

/** Every NameID in the responses of the corpus. */
const names = [...new Set(["alice-4711", "mallory", "alice", ...goodResponses.map(({ nameId }) => nameId)])]

/** The tests send hundreds of responses, and start a server for each good one. */
const timeoutMillis = 240_000

/** Attacks that need a provider without certificates. The server stores no such provider. */
const impossible = ["connection without certificates"]

layer(services, { excludeTestServices: true })("the assertion consumer service of the server", (it) => {
  it.effect(
    "refuses every hostile response, and writes the reason into the audit log",
    () =>
      Effect.gen(function* () {
        const acs = yield* makeAcs
        yield* Effect.forEach(names, acs.bind, { discard: true })
        const rows = Object.values(corpus).flat()
        assert.isAbove(rows.length, 120)
        const outcomes: Array<readonly [name: string, expected: string, outcome: string]> = []
        for (const [name, reason, make] of rows) {
          if (!impossible.includes(name)) outcomes.push([name, reason, yield* acs.send(make())])
        }
        // A body above the server's limit is refused before it is read.
        const isExpected = ([, expected, outcome]: (typeof outcomes)[number]) =>
          outcome === expected || (expected === "TooLarge" && outcome === "status 413")
        assert.deepStrictEqual(
          outcomes.filter((one) => !isExpected(one)),
          []
        )
      }),
    timeoutMillis
  )
})

layer(services, { excludeTestServices: true })("the assertion consumer service, for good responses", (it) => {
  it.effect(
    "accepts every good response once and refuses it as replayed the second time",
    () =>
      Effect.gen(function* () {
        const own = goodResponses.filter(({ post }) => post.connection.serviceProvider.acsUrl === acsUrl)
        assert.isAbove(own.length, 30)
        for (const { name, nameId, post } of own) {
          yield* Effect.gen(function* () {
            const acs = yield* makeAcs
            yield* acs.bind(nameId, 1)
            assert.strictEqual(yield* acs.send(post), "accepted", name)
            assert.strictEqual(yield* acs.send(post), "Replayed", name)
          }).pipe(Effect.provide(services, { local: true }))
        }
      }),
    timeoutMillis
  )
})
