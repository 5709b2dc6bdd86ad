import { assert, describe, it } from "@effect/vitest"
import { Forbidden } from "@wcs/domain/access/Privilege"
import { RateLimited } from "@wcs/domain/access/RateLimitTier"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { ResourceNotFound } from "@wcs/domain/resource/Resource"
import {
  codeOf,
  type ErrorCode,
  ErrorCodes,
  errorCodes,
  layer,
  type RaisedTag,
  statusOf,
  table
} from "@wcs/domain/shared/ErrorCode"
import * as InvalidArgument from "@wcs/domain/shared/InvalidArgument"
import { Effect } from "effect"

/** The table of §7.1. */
const specified: ReadonlyArray<readonly [status: number, codes: ReadonlyArray<string>]> = [
  [400, ["INVALID_ARGUMENT", "BAD_REQUEST", "INVALID_URN"]],
  [403, ["FORBIDDEN"]],
  [404, ["NOT_FOUND"]],
  [409, ["ALREADY_LINKED", "OWNER_MISMATCH", "DUPLICATE_ID"]],
  [422, ["UNPROCESSABLE"]],
  [429, ["TOO_MANY_REQUESTS"]],
  [500, ["INTERNAL"]]
]

/** DECISIONS.md#resources: statuses outside that table, with codes of their own. */
const decided: ReadonlyArray<readonly [status: number, code: string]> = [
  [405, "METHOD_NOT_ALLOWED"],
  [408, "REQUEST_TIMEOUT"],
  [410, "POSITION_UNKNOWN"],
  [412, "PRECONDITION_FAILED"],
  [413, "PAYLOAD_TOO_LARGE"],
  [414, "URI_TOO_LONG"],
  [415, "UNSUPPORTED_MEDIA_TYPE"],
  [431, "HEADERS_TOO_LARGE"],
  [503, "UNAVAILABLE"]
]

const tags = errorCodes.flatMap((code): ReadonlyArray<RaisedTag> => table[code].raisedBy)

describe("ErrorCode", () => {
  it.each(specified)("ENV-03: %i has exactly the codes %j, and no other status has them", (status, codes) => {
    assert.sameMembers(
      errorCodes.filter((code) => statusOf(code) === status),
      [...codes]
    )
  })

  it.each(decided)("SIL-21: %i has only the code %s", (status, code) => {
    assert.deepStrictEqual(
      errorCodes.filter((known) => statusOf(known) === status),
      [code]
    )
  })

  it("has no other codes", () => {
    assert.sameMembers(
      [...errorCodes],
      [...specified.flatMap(([, codes]) => codes), ...decided.map(([, code]) => code)]
    )
  })

  it("ENV-03: each tag has one code", () => {
    assert.lengthOf(new Set(tags), tags.length)
    for (const code of errorCodes) for (const tag of table[code].raisedBy) assert.strictEqual(codeOf(tag), code)
  })

  const worker = { type: "worker", id: "wkr_0000000000000000" } as const
  const quota = { limit: 1, remaining: 0, resetSeconds: 1, exceeded: true }
  const refusals: ReadonlyArray<readonly [{ readonly _tag: RaisedTag }, ErrorCode]> = [
    [new InvalidArgument.InvalidArgument({ field: "sort", reason: "is unknown" }), "INVALID_ARGUMENT"],
    [new InvalidArgument.MalformedBody({ reason: "is no JSON" }), "BAD_REQUEST"],
    [new InvalidArgument.InvalidUrn({ field: "id" }), "INVALID_URN"],
    [new Forbidden({ account: "urn:wcs:account:1", operation: "READ", entityType: "worker" }), "FORBIDDEN"],
    [new ResourceNotFound({ entityType: "worker", id: worker.id }), "NOT_FOUND"],
    [new Ownership.CredentialNotFound({ credentialId: "cred_0000000000000000" }), "NOT_FOUND"],
    [new Ownership.MalformedCredentialId({ credentialId: "x" }), "INVALID_ARGUMENT"],
    [new Ownership.AlreadyLinked({ slot: "worker", holder: worker.id, advice: "transfer" }), "ALREADY_LINKED"],
    [new Ownership.OwnerMismatch({ slot: "worker", holder: null }), "OWNER_MISMATCH"],
    [new Ownership.LastOwner({ holder: worker.id }), "UNPROCESSABLE"],
    [new Ownership.OwnerNotFound({ owner: worker }), "UNPROCESSABLE"],
    [new RateLimited({ quota }), "TOO_MANY_REQUESTS"]
  ]
  it.each(refusals.map(([{ _tag: tag }, code]) => ({ tag, code })))("$tag has the code $code", ({ code, tag }) => {
    assert.strictEqual(codeOf(tag), code)
  })

  it.effect("provides the rules as a service", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual({ ...(yield* ErrorCodes) }, { codeOf, statusOf })
    }).pipe(Effect.provide(layer))
  )
})
