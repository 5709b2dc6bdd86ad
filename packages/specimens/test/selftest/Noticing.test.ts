import { assert, describe, it } from "@effect/vitest"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import * as Rules from "@wcs/domain/service/Rules"
import type { Specimen } from "@wcs/specimens/Specimen"
import { answers, instead, requests, withHeader } from "@wcs/specimens/seams/Rewrite"
import * as Seams from "@wcs/specimens/seams/Seams"
import { noticing } from "@wcs/specimens/selftest/Noticing"
import { type Variant, variant } from "@wcs/specimens/Variant"
import { Effect } from "effect"

const request: Request = { method: "GET", url: "https://tenant.example/openapi/v1/workers", headers: [], body: "" }
const answer = { status: 200, headers: {}, text: "", json: undefined, millis: 0 }

const lost = new NoAnswer({ silence: "reset", detail: "the connection was reset" })

const watch = (one: Variant) => {
  const { idle, specimens } = noticing([one])
  return { specimen: specimens[0] ?? one, idle }
}

const named = (changes: Omit<Specimen, "name">): Variant => variant("it", ["SIL-11"]).by(changes)

/** Whether a call through a rewrite is noticed. */
const callNoticed = Effect.fnUntraced(function* (rewrite: NonNullable<Specimen["rewrite"]>) {
  const { idle, specimen } = watch(named({ rewrite }))
  yield* (specimen.rewrite ?? ((serve) => serve))(() => Effect.succeed(answer))(request)
  return idle().length === 0
}, Effect.orDie)

describe("a variant is idle", () => {
  it.effect("while its rewrite passes calls and answers on as they are", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* callNoticed(requests({}, (given) => ({ ...given }))))
      assert.isFalse(yield* callNoticed(answers({}, (given) => ({ ...given }))))
      assert.isFalse(yield* callNoticed(requests({ method: "POST" }, (given) => ({ ...given, body: "{}" }))))
      assert.isTrue(yield* callNoticed(requests({}, (given) => ({ ...given, body: "{}" }))))
      assert.isTrue(yield* callNoticed(answers({}, (given) => withHeader(given, "x-other", "yes"))))
    })
  )

  it.effect("unless its rewrite answers a call itself, with any answer", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* callNoticed(instead({}, () => Effect.succeed(answer))))
    })
  )

  it.effect("unless its rewrite calls twice, or leaves a call without an answer", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* callNoticed((serve) => (given) => Effect.andThen(serve(given), serve(given))))
      const { idle, specimen } = watch(named({ rewrite: () => () => Effect.fail(lost) }))
      yield* Effect.flip((specimen.rewrite ?? ((serve) => serve))(() => Effect.succeed(answer))(request))
      assert.deepStrictEqual(idle(), [])
    })
  )

  it.effect("while its deliveries are the same", () =>
    Effect.gen(function* () {
      const deliver = Effect.fnUntraced(function* (deliveries: NonNullable<Specimen["deliveries"]>) {
        const { idle, specimen } = watch(named({ deliveries }))
        yield* (specimen.deliveries ?? deliveries)({} as never)(() => Effect.succeed(204))(request)
        return idle().length === 0
      })
      assert.isFalse(yield* deliver(() => (inner) => (delivered) => inner({ ...delivered })))
      assert.isTrue(yield* deliver(() => (inner) => (delivered) => inner({ ...delivered, body: "{}" })))
    })
  )

  it.effect("while its rules decide as the standard ones", () =>
    Effect.gen(function* () {
      const validity = { issuedAt: 0, expiresAt: 60, revokedAt: null }
      const askAt = Effect.fnUntraced(function* (seconds: number) {
        const alwaysLive = Seams.rules(TokenLifetime, () => ({ isLive: () => true }))
        const { idle, specimen } = watch(named({ rules: alwaysLive }))
        const { isExpired, isLive } = yield* Effect.provide(TokenLifetime, specimen.rules?.(Rules.layer) ?? Rules.layer)
        assert.isTrue(isLive(validity, seconds * 1000))
        assert.strictEqual(isExpired(validity, seconds * 1000), seconds >= 60)
        return idle().length === 0
      })
      assert.isFalse(yield* askAt(59))
      assert.isTrue(yield* askAt(60))
    })
  )

  it("while its profile and secrets are ours", () => {
    const profile = { name: "a profile" } as never
    const told = watch(named({ profile: (given) => ({ ...given }), secret: (given) => given }))
    told.specimen.profile?.(profile)
    told.specimen.secret?.("a secret", "OURS")
    assert.deepStrictEqual(told.idle(), ["it"])

    const renamed = watch(named({ profile: (given) => ({ ...given, name: "another" }) }))
    renamed.specimen.profile?.(profile)
    assert.deepStrictEqual(renamed.idle(), [])

    const changed = watch(named({ secret: (given, name) => (name === "OTHER" ? "another" : given) }))
    changed.specimen.secret?.("a secret", "OTHER")
    assert.deepStrictEqual(changed.idle(), [])
  })

  it("never if only the time of its answers differs", () => {
    const { idle } = noticing([variant("late", ["SIL-11"], { changesOnlyTime: true }).by({})])
    assert.deepStrictEqual(idle(), [])
  })
})
