import { fromRfc3339, type Instant } from "@wcs/domain/shared/Instant"
import { Result } from "effect"
import type { Connection } from "./Connection.ts"
import type { RuleReason } from "./Refusal.ts"

/**
 * The response around its assertion. If only the assertion is signed, an attacker may have written this. The rules use
 * it to refuse, and never to accept.
 */
export interface ReadEnvelope {
  readonly version: string
  readonly issueInstant: string
  readonly issuer: string | null
  readonly destination: string | null
  readonly inResponseTo: string | null
  readonly status: string | null
}

/** The claims of an assertion, read from signed XML. Times are not parsed yet. */
export interface ReadAssertion {
  readonly id: string
  readonly version: string
  readonly issueInstant: string
  readonly issuer: string
  readonly issuerFormat: string | null
  readonly nameId: ReadNameId | null
  readonly confirmations: ReadonlyArray<ReadConfirmation>
  readonly notBefore: string | null
  readonly notOnOrAfter: string | null
  /** One list of audiences per AudienceRestriction. */
  readonly audienceRestrictions: ReadonlyArray<ReadonlyArray<string>>
  readonly authentications: ReadonlyArray<ReadAuthentication>
  /** Text values by attribute name. Values that contain elements are left out. */
  readonly attributes: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface ReadNameId {
  readonly value: string
  readonly format: string | null
  readonly nameQualifier: string | null
  readonly spNameQualifier: string | null
}

export interface ReadConfirmation {
  readonly method: string
  readonly recipient: string | null
  readonly notBefore: string | null
  readonly notOnOrAfter: string | null
  readonly inResponseTo: string | null
}

export interface ReadAuthentication {
  readonly authnInstant: string
  readonly sessionNotOnOrAfter: string | null
  readonly sessionIndex: string | null
}

export interface ReadResponse {
  readonly envelope: ReadEnvelope
  readonly assertion: ReadAssertion
}

/** The login that this browser has begun. Look it up by the browser's cookie, never by the response. */
export interface PendingLogin {
  readonly requestId: string
  /** The opaque key that was sent as RelayState. */
  readonly relayState: string
}

/**
 * A login that the identity provider vouches for. Before it has any effect, the caller must, in one transaction:
 *
 * 1. consume the request `inResponseTo` by a conditional write that succeeds once;
 * 2. insert (`issuer`, `assertionId`), unique within the connection, and keep it until `notOnOrAfter`.
 *
 * If either fails, the response is a replay and is refused.
 */
export interface Login {
  readonly inResponseTo: string
  readonly issuer: string
  readonly assertionId: string
  /** From this instant on, the rules refuse the same response as too old. */
  readonly notOnOrAfter: Instant
  /** Identifies the person permanently within the connection. Compare it exactly. */
  readonly nameId: string
  /** When the person proved their identity. It may be hours ago; step-up must look at it. */
  readonly authnInstant: Instant
  /** When the session must end at the latest; null: the identity provider sets no limit. */
  readonly sessionNotOnOrAfter: Instant | null
  readonly sessionIndex: string | null
  readonly attributes: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Clocks may differ by this much, either way. */
const skewMillis = 60_000
/** Between issue and arrival a browser posts one form. */
const ageMillisMax = 5 * 60_000

const success = "urn:oasis:names:tc:SAML:2.0:status:Success"
const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
const entity = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity"
/** SAML core, section 8.3.7. */
const nameIdLengthMax = 256

type Checked = Result.Result<void, RuleReason>

/**
 * Decides whether a response is a valid login: the rules of SAML's web browser profile (SAML profiles, section 4.1.4),
 * narrowed to requested logins with persistent names. `now` is the time of arrival.
 */
export const judge = (
  { assertion, envelope }: ReadResponse,
  connection: Connection,
  pending: PendingLogin,
  now: Instant
): Result.Result<Login, RuleReason> =>
  Result.gen(function* () {
    yield* checkEnvelope(envelope, connection, pending, now)
    yield* checkVersion("assertion", assertion.version)
    yield* checkIssuer("assertion", assertion, connection)
    const issuedAt = yield* checkIssueInstant("IssueInstant of the assertion", assertion.issueInstant, now)
    yield* checkConditions(assertion, connection, now)
    const confirmedUntil = yield* checkConfirmations(assertion.confirmations, connection, pending, now)
    const authentication = yield* checkAuthentications(assertion.authentications, now)
    const nameId = yield* checkNameId(assertion.nameId, connection)
    return {
      inResponseTo: pending.requestId,
      issuer: assertion.issuer,
      assertionId: assertion.id,
      notOnOrAfter: Math.min(confirmedUntil + skewMillis, issuedAt + ageMillisMax + 1),
      nameId,
      ...authentication,
      attributes: assertion.attributes
    }
  })

/** RelayState is an opaque key, never a URL. It must be returned unchanged. */
export const checkRelayState = (relayState: string | undefined, pending: PendingLogin): Checked =>
  relayState === pending.relayState ? Result.void : Result.fail({ _tag: "RelayStateMismatch" })

const checkEnvelope = (envelope: ReadEnvelope, connection: Connection, pending: PendingLogin, now: Instant): Checked =>
  Result.gen(function* () {
    const { destination, inResponseTo, issuer, status } = envelope
    const expected = connection.serviceProvider.acsUrl
    if (status !== success)
      yield* refuse({ _tag: "StatusNotSuccess", status: status ?? "", detail: null, message: null })
    yield* checkVersion("response", envelope.version)
    if (issuer !== null) yield* checkIssuer("response", { issuer, issuerFormat: null }, connection)
    if (destination !== null && destination !== expected) {
      yield* refuse({ _tag: "DestinationMismatch", destination, expected })
    }
    yield* checkInResponseTo(inResponseTo, pending)
    yield* checkIssueInstant("IssueInstant of the response", envelope.issueInstant, now)
  })

const checkVersion = (element: string, version: string): Checked =>
  version === "2.0" ? Result.void : refuse({ _tag: "VersionUnsupported", element, version })

const checkIssuer = (
  element: string,
  { issuer, issuerFormat }: Pick<ReadAssertion, "issuer" | "issuerFormat">,
  { identityProvider }: Connection
): Checked => {
  const expected = identityProvider.entityId
  const isEntity = issuerFormat === null || issuerFormat === entity
  return isEntity && issuer === expected ? Result.void : refuse({ _tag: "IssuerMismatch", element, issuer, expected })
}

const checkIssueInstant = (what: string, text: string, now: Instant): Result.Result<Instant, RuleReason> =>
  Result.gen(function* () {
    const instant = yield* readInstant(what, text)
    yield* checkNotBefore(what, instant, now)
    if (now - instant > ageMillisMax) {
      const ageSeconds = Math.floor((now - instant) / 1000)
      yield* refuse({ _tag: "TooOld", ageSeconds, ageSecondsMax: ageMillisMax / 1000 })
    }
    return instant
  })

const checkConditions = (assertion: ReadAssertion, { serviceProvider }: Connection, now: Instant): Checked =>
  Result.gen(function* () {
    const { audienceRestrictions, notBefore, notOnOrAfter } = assertion
    if (notBefore !== null) {
      const what = "NotBefore of the assertion"
      yield* checkNotBefore(what, yield* readInstant(what, notBefore), now)
    }
    if (notOnOrAfter !== null) {
      const what = "NotOnOrAfter of the assertion"
      yield* checkNotOnOrAfter(what, yield* readInstant(what, notOnOrAfter), now)
    }
    const expected = serviceProvider.entityId
    if (audienceRestrictions.length === 0) yield* refuse({ _tag: "AudienceMissing", expected })
    const foreign = audienceRestrictions.find((audiences) => !audiences.includes(expected))
    if (foreign !== undefined) yield* refuse({ _tag: "AudienceMismatch", audiences: foreign, expected })
  })

/** Requires at least one bearer confirmation, and that all of them hold. Returns the earliest end. */
const checkConfirmations = (
  confirmations: ReadonlyArray<ReadConfirmation>,
  connection: Connection,
  pending: PendingLogin,
  now: Instant
): Result.Result<Instant, RuleReason> =>
  Result.gen(function* () {
    const bearers = confirmations.filter(({ method }) => method === bearer)
    if (bearers.length === 0)
      yield* refuse({ _tag: "BearerMissing", methods: confirmations.map(({ method }) => method) })
    const ends = yield* Result.all(
      bearers.map((confirmation) => checkConfirmation(confirmation, connection, pending, now))
    )
    return Math.min(...ends)
  })

const checkConfirmation = (
  { inResponseTo, notBefore, notOnOrAfter, recipient }: ReadConfirmation,
  { serviceProvider }: Connection,
  pending: PendingLogin,
  now: Instant
): Result.Result<Instant, RuleReason> =>
  Result.gen(function* () {
    const expected = serviceProvider.acsUrl
    if (recipient !== expected) yield* refuse({ _tag: "RecipientMismatch", recipient, expected })
    if (notBefore !== null) yield* refuse({ _tag: "ConfirmationNotBefore" })
    if (notOnOrAfter === null) return yield* refuse({ _tag: "ConfirmationUnlimited" })
    const what = "NotOnOrAfter of the bearer confirmation"
    const end = yield* readInstant(what, notOnOrAfter)
    yield* checkNotOnOrAfter(what, end, now)
    yield* checkInResponseTo(inResponseTo, pending)
    return end
  })

const checkInResponseTo = (inResponseTo: string | null, { requestId }: PendingLogin): Checked => {
  if (inResponseTo === null) return refuse({ _tag: "Unsolicited" })
  return inResponseTo === requestId ? Result.void : refuse({ _tag: "RequestMismatch" })
}

/** Of several statements, the earliest authentication and the earliest end of the session count. */
const checkAuthentications = (
  statements: ReadonlyArray<ReadAuthentication>,
  now: Instant
): Result.Result<Pick<Login, "authnInstant" | "sessionNotOnOrAfter" | "sessionIndex">, RuleReason> =>
  Result.gen(function* () {
    const [first] = statements
    if (first === undefined) return yield* refuse({ _tag: "AuthnStatementMissing" })
    let authnInstant = Number.POSITIVE_INFINITY
    let sessionEnd = Number.POSITIVE_INFINITY
    for (const statement of statements) {
      const instant = yield* readInstant("AuthnInstant", statement.authnInstant)
      yield* checkNotBefore("AuthnInstant", instant, now)
      authnInstant = Math.min(authnInstant, instant)
      if (statement.sessionNotOnOrAfter === null) continue
      const end = yield* readInstant("SessionNotOnOrAfter", statement.sessionNotOnOrAfter)
      yield* checkNotOnOrAfter("SessionNotOnOrAfter", end, now)
      sessionEnd = Math.min(sessionEnd, end)
    }
    const sessionNotOnOrAfter = Number.isFinite(sessionEnd) ? sessionEnd : null
    return { authnInstant, sessionNotOnOrAfter, sessionIndex: first.sessionIndex }
  })

/** A name is unique only with its qualifiers. Both must belong to the connection, so the value is enough. */
const checkNameId = (nameId: ReadNameId | null, connection: Connection): Result.Result<string, RuleReason> => {
  if (nameId === null) return refuse({ _tag: "NameIdMissing" })
  const { format, nameQualifier, spNameQualifier, value } = nameId
  if (format !== persistent) return refuse({ _tag: "NameIdFormat", format })
  const isName = value !== "" && value.length <= nameIdLengthMax && value.trim() === value && !/\p{Cc}/u.test(value)
  if (!isName) return refuse({ _tag: "NameIdInvalid" })
  const qualifiers = [
    [nameQualifier, connection.identityProvider.entityId],
    [spNameQualifier, connection.serviceProvider.entityId]
  ] as const
  for (const [qualifier, expected] of qualifiers) {
    if (qualifier !== null && qualifier !== expected) return refuse({ _tag: "NameIdQualifier", qualifier, expected })
  }
  return Result.succeed(value)
}

/** SAML's times are in UTC and end in Z (SAML core, section 1.3.3). */
const readInstant = (what: string, text: string): Result.Result<Instant, RuleReason> => {
  const instant = text.endsWith("Z") ? fromRfc3339(text) : undefined
  return instant === undefined ? refuse({ _tag: "TimeMalformed", what, text }) : Result.succeed(instant)
}

const checkNotBefore = (what: string, instant: Instant, now: Instant): Checked =>
  instant <= now + skewMillis ? Result.void : refuse({ _tag: "NotYetValid", what, instant, now })

const checkNotOnOrAfter = (what: string, instant: Instant, now: Instant): Checked =>
  now < instant + skewMillis ? Result.void : refuse({ _tag: "Expired", what, instant, now })

const refuse = (reason: RuleReason): Result.Result<never, RuleReason> => Result.fail(reason)
