import type { Instant } from "@wcs/domain/shared/Instant"
import { Clock, Effect, Result } from "effect"
import type { Connection } from "./Connection.ts"
import { parse } from "./Parsing.ts"
import { readAssertion, readEnvelope } from "./Reading.ts"
import { type ResponseReason, ResponseRefused } from "./Refusal.ts"
import { checkRelayState, judge, type Login, type PendingLogin } from "./ResponseRules.ts"
import { checkElement, checkResponse } from "./ResponseShape.ts"
import { verify } from "./Signature.ts"
import { readBase64 } from "./TextGate.ts"
import { childOf, nameOf } from "./Xml.ts"

/** The form fields of a post to the assertion consumer service. */
export interface PostedResponse {
  readonly samlResponse: string
  readonly relayState: string | undefined
}

/**
 * Checks a posted response against the pending login of this browser. Changes nothing: `Login` lists the values that
 * the caller must consume. If there is no pending login, the caller refuses the post as `Unsolicited` without this
 * check.
 *
 * Fails with the first reason found, in the order of the README's table. Reads the time from the `Clock`.
 */
export const check = Effect.fn("LoginResponse.check")(function* (
  connection: Connection,
  pending: PendingLogin,
  posted: PostedResponse
) {
  const now = yield* Clock.currentTimeMillis
  const checked = checkAt(connection, pending, posted, now)
  return yield* Effect.fromResult(Result.mapError(checked, (reason) => new ResponseRefused({ reason })))
})

const checkAt = (
  connection: Connection,
  pending: PendingLogin,
  { relayState, samlResponse }: PostedResponse,
  now: Instant
): Result.Result<Login, ResponseReason> =>
  Result.gen(function* () {
    const text = yield* readBase64(samlResponse)
    const response = yield* parsed(text)
    yield* checkResponse(response)
    const { assertion, envelope } = yield* readSigned(text, response, connection)
    const login = yield* judge(
      { envelope: readEnvelope(envelope), assertion: readAssertion(assertion) },
      connection,
      pending,
      now
    )
    yield* checkRelayState(relayState, pending)
    return login
  })

/** The parts of a response to read. The assertion is signed, by itself or within a signed response. */
interface SignedParts {
  readonly envelope: Element
  readonly assertion: Element
}

/** Verifies every signature there is, and returns elements of the signed text instead of the posted one. */
const readSigned = (
  text: string,
  response: Element,
  { identityProvider: { certificates } }: Connection
): Result.Result<SignedParts, ResponseReason> =>
  Result.gen(function* () {
    const assertion = childOf(response, "saml:Assertion")
    const isSigned = (element: Element | undefined) => childOf(element, "ds:Signature") !== undefined
    let parts: SignedParts | undefined
    if (assertion !== undefined && isSigned(assertion)) {
      const signed = yield* reparsed(yield* verify(text, assertion, certificates), "saml:Assertion")
      parts = { envelope: response, assertion: signed }
    }
    if (isSigned(response)) {
      const envelope = yield* reparsed(yield* verify(text, response, certificates), "samlp:Response")
      const inner = childOf(envelope, "saml:Assertion")
      if (inner !== undefined) parts = { envelope, assertion: inner }
    }
    return parts ?? (yield* Result.fail<ResponseReason>({ _tag: "NotSigned" }))
  })

/** Checks the shape of the signed text again, because it is read instead of the posted document. */
const reparsed = (xml: string, name: string): Result.Result<Element, ResponseReason> =>
  Result.gen(function* () {
    const element = yield* parsed(xml)
    yield* checkElement(element)
    if (nameOf(element) !== name) yield* Result.fail<ResponseReason>({ _tag: "NotSigned" })
    return element
  })

const parsed = (text: string): Result.Result<Element, ResponseReason> => {
  const root = parse(text)
  return root === undefined ? Result.fail({ _tag: "NotWellFormed", offset: 0 }) : Result.succeed(root)
}
