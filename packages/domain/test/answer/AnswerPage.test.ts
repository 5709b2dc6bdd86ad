import { assert, describe, it } from "@effect/vitest"
import { tokenLength } from "@wcs/domain/access/OpaqueToken"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits } from "@wcs/domain/access/RateLimitTier"
import { noAccess } from "@wcs/domain/answer/AnswerAccess"
import { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import { make } from "@wcs/domain/answer/AnswerPage"
import { type AnswerView, boundView, strangerView } from "@wcs/domain/answer/AnswerView"
import { noticeOf } from "@wcs/domain/answer/Notice"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import type { AnswerFields, Asked } from "@wcs/domain/screening/Answer"
import { Digest } from "@wcs/domain/shared/Digest"
import { alphabet, Ids } from "@wcs/domain/shared/Id"
import { Notifications } from "@wcs/domain/shared/Notifications"
import { Effect, Layer, Option, Redacted } from "effect"
import * as fc from "fast-check"

const name = "Example Care"
const notice = noticeOf(
  { organization: name, retentionYears: undefined, answerDays: 365, contact: undefined },
  "worker",
  "en"
)

/** Words that stand for what the organization knows, or what the person has entered. */
const answer = (secret: string): AnswerFields => ({
  state: "REJECTED",
  request: { type: "captureRequest", id: "cap_0000000000000001" },
  worker: { id: "wkr_0000000000000001" },
  consent: { version: "1", text: secret, notice: secret, at: "2026-01-31T00:00:00.000Z" },
  cards: [{ credentialType: "FIRST_AID", identifier: secret }],
  submittedAt: "2026-01-31T00:00:00.000Z",
  decision: { by: { id: "acc_0000000000000001" }, at: "2026-01-31T00:00:00.000Z", reason: secret },
  credentials: [{ id: "cred_0000000000000001", credentialType: "FIRST_AID" }]
})

/** Everything that a view can show. */
const shownIn = (view: AnswerView): string =>
  JSON.stringify(view) + (view._tag === "Bound" ? view.entered("FIRST_AID.identifier") : "")

describe("the view of a link", () => {
  it("has nothing that was entered, and no words to the person, unless the device is bound", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{12}$/), fc.constantFrom("first", "foreign"), (secret, standing) => {
        const asked: Asked = {
          person: { type: "worker", id: secret },
          credentialTypes: ["FIRST_AID"],
          message: secret,
          until: "2026-02-14"
        }
        assert.notInclude(shownIn(strangerView(standing as "first" | "foreign", asked)), secret)
      })
    )
  })

  it("never has ids of the records, also if the device is bound", () => {
    const asked: Asked = {
      person: { type: "worker", id: "wkr_0000000000000001" },
      credentialTypes: ["FIRST_AID"],
      message: undefined,
      until: "2026-02-14"
    }
    const shown = shownIn(boundView(asked, answer("own words"), notice, "key"))
    assert.include(shown, "own words")
    assert.notMatch(shown, /\b(wkr|cap|acc|cred|ans)_/)
  })
})

/** A generator of the same numbers in each run (mulberry32). */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

const real = Array.from({ length: tokenLength }, (_, index) => alphabet[(index * 7) % alphabet.length]).join("")

const visitorWith = (secret: string) => ({
  ...{ secret: Redacted.make(secret), device: Redacted.make("") },
  ...{ language: "en" as const, settings: defaultSettings }
})

/** A page whose only link is `real`. `looked` counts the look-ups of links, and `found` those of a request. */
const pageOf = (looked: () => void, found: () => void) =>
  make.pipe(
    Effect.provide(
      Layer.mergeAll(
        Layer.mock(ResourceStore, {
          find: () =>
            Effect.sync(() => {
              found()
              return Option.none()
            })
        }),
        Layer.mock(AnswerAccessStore, {
          find: (_tenant, hash) => {
            looked()
            return Effect.succeed(
              hash === `hash of ${real}`
                ? Option.some({ requestId: "cap_0000000000000001", access: noAccess })
                : Option.none()
            )
          }
        }),
        RateLimiterMemory.layer(defaultRateLimits),
        Layer.mock(MessageStore, {}),
        Layer.mock(DocumentStore, {}),
        Layer.mock(Notifications, {}),
        Layer.succeed(Digest, { sha256: (text) => `hash of ${text}`, equals: (one, two) => one === two }),
        Layer.mock(Ids, { source: () => () => "aud_1", ulidAt: () => "" })
      )
    )
  )

const tenant = { id: "tnt_1", name, timeZone: "UTC", hosts: [] }

describe("threat 81: guessed links", () => {
  it.effect(
    "open nothing: 0 of 100,000 in a minute, also next to a link that exists, and only 1,200 are answered by the page",
    () =>
      Effect.gen(function* () {
        let [looked, found] = [0, 0]
        const page = yield* pageOf(
          () => looked++,
          () => found++
        )
        const below = numbers(20_261_129)
        const letter = () => alphabet[below(alphabet.length)] ?? "0"
        const told = { NoAnswerLink: 0, RateLimited: 0 }
        for (let guess = 0; guess < 100_000; guess++) {
          const place = below(tokenLength)
          // Half of the guesses differ from the link in one place.
          const near = real.slice(0, place) + letter() + real.slice(place + 1)
          const text = guess % 2 === 0 && near !== real ? near : Array.from({ length: tokenLength }, letter).join("")
          told[(yield* Effect.flip(page.open(tenant, visitorWith(text))))._tag] += 1
        }
        assert.strictEqual(found, 0)
        assert.deepStrictEqual(told, {
          NoAnswerLink: defaultRateLimits.answerPages,
          RateLimited: 100_000 - defaultRateLimits.answerPages
        })
        assert.strictEqual(looked, 100_000)
        // The link itself gets further.
        yield* Effect.flip(page.open(tenant, visitorWith(real)))
        assert.strictEqual(found, 1)
      })
  )

  it.effect("of another shape are not looked up", () =>
    Effect.gen(function* () {
      const page = yield* pageOf(
        () => assert.fail("looked up"),
        () => assert.fail("found")
      )
      for (const text of ["", real.slice(1), `${real}0`, `${real.slice(1)}.`, `${real.slice(1)}'`, "é".repeat(43)]) {
        assert.strictEqual((yield* Effect.flip(page.open(tenant, visitorWith(text))))._tag, "NoAnswerLink")
      }
    })
  )
})
