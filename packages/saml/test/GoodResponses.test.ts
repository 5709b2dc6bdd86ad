import { assert, describe, it } from "@effect/vitest"
import * as LoginResponse from "@wcs/saml/LoginResponse"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { connection, issued, now, pending, signedWays, toBase64 } from "./Forge.ts"

describe("good", () => {
  for (const way of signedWays)
    it.effect(`takes ${way}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const login = yield* LoginResponse.check(connection, pending, { samlResponse: toBase64(issued({}, way)), relayState: pending.relayState })
        assert.strictEqual(login.nameId, "alice-4711")
        console.log(login)
      }))
})
