import { assert, describe, it } from "@effect/vitest"
import * as CredentialType from "@wcs/domain/CredentialType"
import { fromSchemaError } from "@wcs/domain/InvalidArgument"
import { Result, Schema } from "effect"

const refusal = (schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  fromSchemaError(Result.getOrThrow(Result.flip(Schema.decodeUnknownResult(schema)(value))))

describe("InvalidArgument", () => {
  it("names every word that there is where one of them must be said", () => {
    const { field, reason } = refusal(CredentialType.Codes, ["WWCC_NSW", "NOPE"])
    assert.strictEqual(field, "1")
    assert.strictEqual(reason, `must be one of ${CredentialType.codes.join(", ")}`)
  })

  it("shows where it was cut, and has an end", () => {
    const said = (message: string) => refusal(Schema.String.check(Schema.makeFilter(() => message)), "x").reason
    assert.strictEqual(said("y".repeat(1000)), "y".repeat(1000))
    assert.strictEqual(said("y".repeat(1001)), `${"y".repeat(999)}…`)
  })
})
