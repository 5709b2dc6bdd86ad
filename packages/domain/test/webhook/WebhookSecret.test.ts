import { assert, describe, it } from "@effect/vitest"
import { Seal } from "@wcs/domain/shared/Seal"
import * as WebhookSecret from "@wcs/domain/webhook/WebhookSecret"
import { Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fc from "fast-check"

const { least, most } = WebhookSecret.changeoverSeconds

const secretOf = (name: string, createdAt: number): WebhookSecret.KeptSecret => ({
  sealed: name,
  lastFour: name,
  createdAt,
  retiresAt: null
})

const namesOf = (secrets: ReadonlyArray<WebhookSecret.KeptSecret>) => secrets.map(({ sealed }) => sealed)

/** Rotations of a secret: the seconds before each, and its changeover. */
const history = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 * most }), fc.integer({ min: least, max: most })), {
  maxLength: 12
})

/** The stored secrets after each rotation, and its time. */
const keptAfter = (rotations: ReadonlyArray<readonly [number, number]>) => {
  let now = 1_800_000_000_000
  let secrets: ReadonlyArray<WebhookSecret.KeptSecret> = [secretOf("0", now)]
  let done = 0
  return rotations.flatMap(([seconds, changeover]) => {
    now += seconds * 1000
    const rotated = WebhookSecret.rotated(secrets, secretOf(String(done + 1), now), now, changeover)
    if (Result.isFailure(rotated)) return []
    done += 1
    secrets = rotated.success
    return [{ secrets, now, changeover }]
  })
}

describe("a webhook's secrets", () => {
  it("EVT-11: a replaced one is accepted for the changeover, even after further rotations", () => {
    fc.assert(
      fc.property(history, fc.nat({ max: most }), (rotations, later) => {
        const steps = keptAfter(rotations)
        for (const [index, { changeover, now: replacedAt }] of steps.entries()) {
          for (const [following, step] of steps.slice(index).entries()) {
            const next = steps[index + following + 1]?.now ?? Infinity
            const at = Math.max(step.now, Math.min(step.now + later * 1000, next))
            const isLiving = namesOf(WebhookSecret.living(step.secrets, at)).includes(String(index))
            assert.strictEqual(isLiving, at < replacedAt + changeover * 1000)
          }
        }
      })
    )
  })

  it("EVT-11: cannot be rotated while five are valid, until one retires", () => {
    const start = 1_800_000_000_000
    let secrets: ReadonlyArray<WebhookSecret.KeptSecret> = [secretOf("0", start)]
    const rotate = (n: number, now: number) => WebhookSecret.rotated(secrets, secretOf(String(n), now), now, least)
    for (const n of [1, 2, 3, 4]) secrets = Result.getOrThrow(rotate(n, start + n))
    const until = start + 1 + least * 1000
    assert.deepInclude(Result.getOrThrow(Result.flip(rotate(5, until - 1))), { _tag: "SecretsFull", max: 5, until })
    assert.deepStrictEqual(namesOf(Result.getOrThrow(rotate(5, until))), ["5", "4", "3", "2", "1"])
  })

  it("EVT-08: the newest is first and does not expire; there are at most five, distinct and none retired", () => {
    fc.assert(
      fc.property(history, (rotations) => {
        for (const [index, { now, secrets }] of keptAfter(rotations).entries()) {
          const names = namesOf(secrets)
          assert.strictEqual(names[0], String(index + 1))
          assert.deepStrictEqual(
            names,
            names.toSorted((one, other) => Number(other) - Number(one))
          )
          assert.lengthOf(new Set(names), names.length)
          assert.isAtMost(names.length, WebhookSecret.secretsMax)
          assert.deepStrictEqual(
            secrets.map(({ retiresAt }) => retiresAt === null),
            secrets.map((_, place) => place === 0)
          )
          assert.deepStrictEqual(WebhookSecret.living(secrets, now), secrets)
          assert.deepStrictEqual(namesOf(WebhookSecret.living(secrets, now + 100 * most * 1000)), [names[0]])
        }
      })
    )
  })

  it("previousExpiresAt is the expiry of the last replaced secret, and null after it", () => {
    const now = 1_800_000_000_000
    const first = [secretOf("0", now)]
    assert.isNull(WebhookSecret.previousExpiresAt(first, now))
    const once = Result.getOrThrow(WebhookSecret.rotated(first, secretOf("1", now), now, least))
    const expiresAt = now + least * 1000
    assert.strictEqual(WebhookSecret.previousExpiresAt(once, now), expiresAt)
    assert.strictEqual(WebhookSecret.previousExpiresAt(once, expiresAt - 1), expiresAt)
    assert.isNull(WebhookSecret.previousExpiresAt(once, expiresAt))
    const twice = Result.getOrThrow(WebhookSecret.rotated(once, secretOf("2", now + 5), now + 5, least))
    assert.strictEqual(WebhookSecret.previousExpiresAt(twice, now + 5), expiresAt + 5)
    assert.strictEqual(twice[2]?.retiresAt, expiresAt)
  })

  const sealing = Layer.succeed(
    Seal,
    Seal.of({
      seal: (purpose, secret) => Effect.succeed(`${purpose}: ${Redacted.value(secret).length}`),
      open: () => Effect.die(new Error("nothing is opened")),
      reseal: () => Effect.die(new Error("nothing is opened"))
    })
  )

  it.effect("are `whsec_` and base64 of 32 bytes, distinct, and encrypted for their webhook", () =>
    Effect.gen(function* () {
      const minted = yield* Effect.replicateEffect(WebhookSecret.mint, 100)
      for (const secret of minted) {
        const [, text = ""] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(Redacted.value(secret)) ?? []
        assert.lengthOf(atob(text), 32)
        assert.notInclude(JSON.stringify(secret), text)
        assert.notInclude(String(secret), text)
      }
      assert.lengthOf(new Set(minted.map(Redacted.value)), minted.length)
      const [secret = Redacted.make("")] = minted
      assert.deepStrictEqual(yield* WebhookSecret.keep("whk_1", secret, 7), {
        sealed: "signing secret of whk_1: 50",
        lastFour: Redacted.value(secret).slice(-4),
        createdAt: 7,
        retiresAt: null
      })
    }).pipe(Effect.provide(Layer.merge(sealing, SecureRandom.layerWebCrypto)))
  )
})
