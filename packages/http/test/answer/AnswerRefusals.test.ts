import { assert, layer } from "@effect/vitest"
import { defaultRateLimits } from "@wcs/domain/access/RateLimitTier"
import { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { IsOutage } from "@wcs/http/request/Outage"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer } from "effect"
import * as Deployment from "../Deployment.ts"

/** An organization whose messages are in German, and a store that fails as soon as a link is looked up. */
const stores = Layer.merge(
  Layer.effect(
    MessageStore,
    Effect.map(MessageStore, (store) =>
      MessageStore.of({
        ...store,
        tenant: (id) =>
          Effect.map(store.tenant(id), (tenant) => ({ ...tenant, settings: { ...tenant.settings, language: "de" } }))
      })
    )
  ),
  Layer.effect(
    AnswerAccessStore,
    Effect.map(AnswerAccessStore, (store) => AnswerAccessStore.of({ ...store, find: () => Effect.die("away") }))
  )
).pipe(Layer.provideMerge(StoreSqlite.layerMemory))

const outage = Layer.succeed(IsOutage, (failure) => failure === "away")
const served = (unauthenticated: number) =>
  Layer.provide(Deployment.layer(Deployment.services(stores, { ...defaultRateLimits, unauthenticated })), outage)

const link = `/answer/${"a".repeat(43)}`
const typed = { "FIRST_AID.identifier": 'HLT-"1"', consent: "agreed", step: "check" }
const urlencoded = "application/x-www-form-urlencoded"

/** Sends a form to a link. */
const sent = (headers: Readonly<Record<string, string>> = {}, type = urlencoded) =>
  Deployment.call({
    ...{ method: "POST", path: link, headers: { "content-type": type, ...headers } },
    body: new URLSearchParams(typed).toString()
  })

/** Whether a page has all that was typed, and the button that sends it again. */
const isKept = ({ text }: Deployment.Answer): boolean =>
  [
    '<input type="hidden" name="FIRST_AID.identifier" value="HLT-&quot;1&quot;">',
    '<input type="hidden" name="consent" value="agreed">',
    '<input type="hidden" name="step" value="check">',
    "</button></form>"
  ].every((part) => text.includes(part))

const overload = { "x-test-waited": "5000" }

layer(served(1000), { excludeTestServices: true })("a refusal of the page of a link", (it) => {
  it.effect(
    "keeps what was typed during an outage and an overload, in the language of the organization once known",
    () =>
      Effect.gen(function* () {
        for (const [name, headers, title] of [
          ["an overload before the first visit", overload, "Please wait a moment"],
          ["an outage", {}, "Bitte warten Sie einen Moment"],
          ["an overload", overload, "Bitte warten Sie einen Moment"],
          ["an overload in a browser of others", { ...overload, "accept-language": "en" }, "Please wait a moment"],
          ["an overload at another host", { ...overload, host: "other.example" }, "Please wait a moment"]
        ] as const) {
          const answer = yield* sent(headers)
          assert.strictEqual(answer.status, 503, name)
          assert.include(answer.text, `<h1>${title}</h1>`, name)
          assert.isTrue(isKept(answer), name)
          assert.strictEqual(answer.headers["retry-after"], "1", name)
          assert.strictEqual(answer.headers["referrer-policy"], "no-referrer", name)
        }
      })
  )

  it.effect("keeps nothing of a GET, a file, or a form that cannot succeed", () =>
    Effect.gen(function* () {
      const plain = yield* Deployment.call({ path: link, headers: { "content-type": urlencoded } })
      const file = yield* sent(overload, "multipart/form-data; boundary=edge")
      const unsafe = yield* sent({ "x-test-plain": "1" })
      assert.deepStrictEqual([plain.status, file.status, unsafe.status], [503, 503, 400])
      for (const answer of [plain, file, unsafe]) {
        assert.include(answer.headers["content-type"], "text/html")
        assert.notInclude(answer.text, "<form")
        assert.notInclude(answer.text, "HLT-")
      }
      const large = yield* Deployment.call({
        ...{ method: "POST", path: link, body: "x".repeat(70_000) },
        headers: { "content-type": urlencoded, ...overload }
      })
      assert.strictEqual(large.status, 503)
      assert.notInclude(large.text, "<form")
    })
  )

  it.effect("says which methods the page has, and answers an unreadable link as an unknown one", () =>
    Effect.gen(function* () {
      const other = yield* Deployment.call({ method: "PUT", path: link })
      assert.strictEqual(other.status, 405)
      assert.strictEqual(other.headers["allow"], "GET, HEAD, POST")
      assert.include(other.headers["content-type"], "text/html")
      for (const secret of ["%zz", "a".repeat(2000)]) {
        const answer = yield* Deployment.call({ path: `/answer/${secret}` })
        assert.strictEqual(answer.status, 404, secret)
        assert.include(answer.text, "<h1>Dieser Link ist nicht gültig</h1>")
      }
    })
  )
})

layer(served(3), { excludeTestServices: true })("a flood from an address", (it) => {
  it.effect("threat 84: keeps what a person behind the same address has typed", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.replicateEffect(sent(), 6)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [503, 503, 503, 429, 429, 429]
      )
      for (const answer of answers) assert.isTrue(isKept(answer))
      assert.include(answers.at(-1)?.text, "<h1>Zu viele Anfragen</h1>")
      assert.isAtLeast(Number(answers.at(-1)?.headers["retry-after"]), 1)
    })
  )
})
