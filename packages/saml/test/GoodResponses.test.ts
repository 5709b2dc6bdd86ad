import { assert, describe, it } from "@effect/vitest"
import * as LoginResponse from "@wcs/saml/LoginResponse"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { readRecording } from "./recording/Fixture.ts"
describe("good", () => {
  for (const product of ["simplesamlphp", "pysaml2"])
  for (const f of readRecording(product).fixtures)
    it.effect(`takes ${f.name}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(f.receivedAt)
        const login = yield* LoginResponse.check(f.connection, f.pending, { samlResponse: f.samlResponse, relayState: f.pending.relayState })
        assert.strictEqual(login.nameId, f.nameId)
        console.log(login)
      }))
})
