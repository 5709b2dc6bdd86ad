import fc from "fast-check"
import type { Call } from "../../Service.ts"
import { withValue } from "../answer/ContractFields.ts"
import { hostileText, text } from "./HostileText.ts"

/** The content of a call, if any. */
export type Body = Pick<Call, "body" | "rawBody">

const knownName = fc.constantFrom(
  ...["identity", "displayName", "firstName", "otherNames", "birthDate", "contact", "employment", "status", "source"],
  ...["externalId", "emailAddress", "attributes", "credentialType", "identifier", "holder", "expiryDate", "owners"],
  ...["worker", "applicant", "type", "id", "from", "to", "credentialIds", "createdAt", "eligibility", "lastKnown"]
)
const name = fc.oneof({ weight: 2, arbitrary: knownName }, { weight: 1, arbitrary: hostileText })

const number = fc.constantFrom(0, -1, 1.5, 42, 1e21, 5e-324, 2 ** 53, 2_147_483_648)
const knownWord = fc.constantFrom(
  ...["FIRST_AID", "WWCC_NSW", "worker", "applicant", "2024-02-29", "2023-02-29", "HIRED", "MAY_ENGAGE"]
)

/** JSON of the contract's names and values, and of others. */
const json = (ids: ReadonlyArray<string>, maxDepth: number): fc.Arbitrary<unknown> => {
  const id = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: text })
  const scalar = fc.oneof(fc.constant(null), fc.boolean(), number, text, id, knownWord)
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth, withCrossShrink: true }, scalar, fc.array(tie("value"), { maxLength: 4 }), {
      weight: 2,
      arbitrary: fc.dictionary(name, tie("value"), { maxKeys: 5 })
    })
  }))
  return value
}

/** Valid bodies with one value replaced. */
export const nearlyGoodBody = (goodBodies: ReadonlyArray<unknown>, ids: ReadonlyArray<string>): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.constantFrom(...goodBodies), fc.array(name, { minLength: 1, maxLength: 3 }), json(ids, 2))
    .map(([body, path, value]) => withValue(body, path, value))

/** No body, a valid one, a nearly valid one, any JSON, or malformed JSON. */
export const anyBody = (goodBodies: ReadonlyArray<unknown>, ids: ReadonlyArray<string>): fc.Arbitrary<Body> => {
  const nearlyGood = nearlyGoodBody(goodBodies, ids)
  const bytes = fc.uint8Array({ maxLength: 40, size: "max" })
  const cut = fc
    .tuple(nearlyGood, fc.constantFrom(1, 2, 3, 5, 8, 13, 21))
    .map(([body, by]) => JSON.stringify(body).slice(0, -by))
  return fc.oneof(
    fc.constant({}),
    fc.constantFrom(...goodBodies).map((body) => ({ body })),
    nearlyGood.map((body) => ({ body })),
    json(ids, 4).map((body) => ({ body })),
    fc.oneof(bytes, cut, text).map((rawBody) => ({ rawBody }))
  )
}
