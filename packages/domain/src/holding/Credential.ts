import { Result, Schema } from "effect"
import type { EventDraft } from "../event/EventDraft.ts"
import type { EventKind } from "../event/EventKind.ts"
import { anyOwner, Owners, ownersIn, ownerTypes } from "../ownership/Ownership.ts"
import { ownerColumns, ownerFilters } from "../people/Owner.ts"
import { ErasedAt } from "../resource/Erasing.ts"
import { type Document, type Resource, type Stored, toDocument } from "../resource/Resource.ts"
import { time } from "../resource/ShownFields.ts"
import type { Written } from "../resource/Write.ts"
import { isLapsed } from "../shared/CalendarDay.ts"
import { inFormOf } from "../shared/CardNumber.ts"
import { CorrelationId } from "../shared/CorrelationId.ts"
import { CalendarDate, type Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { Path } from "../shared/Json.ts"
import { line } from "../shared/Text.ts"
import * as CredentialType from "./CredentialType.ts"
import { Decision, isOutranked } from "./Decision.ts"
import * as Verification from "./Verification.ts"

/** The attributes on the wire. */
const shown = {
  credentialType: CredentialType.CodeOfType.annotateKey({
    description: "Code from `GET /credential-types`. It decides which fields are required and if a register is asked."
  }),
  category: Schema.optionalKey(line(100)).annotateKey({
    description: "Grouping in the caller's words. Not sent to the register."
  }),
  jurisdiction: Schema.optionalKey(CredentialType.JurisdictionName).annotateKey({
    description: "Issuing state or territory, or NATIONAL. By default the server fills in that of the type."
  }),
  identifier: Schema.optionalKey(line(100)).annotateKey({
    description:
      "Number of the card or registration, sent to the register. The type can require it and its format, and letter " +
      "case, spaces and hyphens are corrected to that format."
  }),
  issueNumber: Schema.optionalKey(line(40)).annotateKey({
    description: "Issue number on the card, sent to the register. Absent if the card has none."
  }),
  cardType: Schema.optionalKey(line(100)).annotateKey({
    description: "Kind of card as printed on it, sent to the register. Absent if the card has none."
  }),
  holder: Schema.optionalKey(
    Schema.Struct({
      firstName: Schema.optionalKey(line(100)).annotateKey({ description: "First given name on the card." }),
      middleName: Schema.optionalKey(line(100)).annotateKey({
        description: "Other given names on the card. Absent if the card shows none."
      }),
      lastName: Schema.optionalKey(line(100)).annotateKey({ description: "Family name on the card." }),
      birthDate: Schema.optionalKey(CalendarDate).annotateKey({
        description: "Date of birth of the person on the card, plausible."
      }),
      otherNames: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            firstName: Schema.optionalKey(line(100)).annotateKey({ description: "First given name." }),
            lastName: line(100).annotateKey({ description: "Family name of the person." })
          })
        ).check(Schema.isMaxLength(5, { message: "must have at most 5 names" }))
      ).annotateKey({
        description: "Earlier or other names of the person, which the register is asked with if the name is not found."
      })
    })
  ).annotateKey({
    description: "The person as the card names them, sent to the register. The names of the owner can differ."
  }),
  issuingCountry: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/, { message: "must be two capital letters (ISO 3166-1)" }))
  ).annotateKey({
    description: "Country that issued the document, ISO 3166-1 alpha-2, such as NZ. Absent for cards of Australia."
  }),
  issueDate: Schema.optionalKey(CalendarDate).annotateKey({
    description: "Day of issue as the caller states it. Not sent to the register."
  }),
  expiryDate: Schema.optionalKey(CalendarDate).annotateKey({
    description:
      "Last valid day; absent if unknown. After it, the credential reads as EXPIRED. " +
      "A date from the register replaces the date of the caller. Registers that compare the date get the caller's."
  }),
  eligibility: Schema.optionalKey(Verification.EligibilityWord).annotateKey({
    description:
      "Whether the owner may be engaged as of today; only MAY_ENGAGE is a clearance. " +
      "Set by the server. Absent if no register verifies the type and the credential has not expired."
  }),
  statusDetail: Schema.optionalKey(Verification.StatusDetailWord).annotateKey({
    description: "Reason of `eligibility`, for people. Set and absent together with it."
  }),
  lastVerifiedAt: Schema.optionalKey(time).annotateKey({
    description:
      "When a register or reviewer last gave a verdict. A failure does not change it. Absent before the first verdict " +
      "on the present card."
  }),
  statusSince: Schema.optionalKey(time).annotateKey({
    description:
      "Since when `statusDetail` has its value. The same verdict again does not change it, nor after a failure. Absent " +
      "before the first answer, and after `expiryDate`."
  }),
  lastCorrelationId: Schema.optionalKey(CorrelationId).annotateKey({
    description:
      "Correlation id of the creation, or of the last verification requested since. A `credential.verified` event of " +
      "that verification has the same id."
  }),
  lastKnown: Schema.optionalKey(
    Schema.Struct({
      eligibility: Verification.EligibilityWord.annotateKey({ description: "Eligibility of the earlier verdict." }),
      statusDetail: Verification.StatusDetailWord.annotateKey({ description: "Status detail of the earlier verdict." }),
      since: Schema.optionalKey(time).annotateKey({
        description: "`statusSince` of the earlier verdict. The same verdict again gets this time."
      })
    })
  ).annotateKey({
    description: "The last verdict of a register or reviewer, while a failure or an open review hides it. Else absent."
  }),
  decision: Schema.optionalKey(Decision).annotateKey({
    description:
      "The decision of a person that is in force today. It counts in compliance and leaves the verdict as it is. Absent " +
      "after its end. A verdict that refuses or asks something else ends MAY_ENGAGE."
  }),
  erasedAt: ErasedAt,
  owners: Owners.annotateKey({
    description:
      "The two slots. At least one is filled. Set on creation, then changed by link, unlink and transfer only."
  })
}

/** A credential as it is stored. */
export const CredentialFields = Schema.Struct({
  attributes: Schema.Struct({
    ...shown,
    /** Present if a register or a reviewer gave `expiryDate`. Otherwise the caller declared the date. */
    expiryDateOrigin: Schema.optionalKey(Schema.Literal("register")),
    /** The date that the caller declared, while `expiryDate` is another one and the register is asked with a date. */
    declaredExpiryDate: Schema.optionalKey(CalendarDate),
    /** Values of earlier updates that the rules removed. A repeated PUT may still send them. */
    cleared: Schema.optionalKey(Schema.Struct({ expiryDate: shown.expiryDate, jurisdiction: shown.jurisdiction }))
  })
})
export type CredentialFields = typeof CredentialFields.Type

/** A credential on the wire, without the internal fields. */
export const CredentialView = Schema.Struct({
  attributes: Schema.Struct(shown).annotateKey({ description: "The card, its verdict and its owners." })
})
export type CredentialView = typeof CredentialView.Type

/** The path of an attribute. */
export const attribute = (name: string): Path => ["attributes", name]
const holder = (name: string): Path => ["attributes", "holder", name]
const slot = (type: string): Path => ["attributes", "owners", type]

/** The attributes that no answer shows. */
export const internalAttributes: ReadonlyArray<Path> = ["expiryDateOrigin", "declaredExpiryDate", "cleared"].map(
  attribute
)

/** A check or registration of a person (§2.2; DECISIONS.md#fields). */
export const Credential = {
  type: "credential",
  naming: { by: "minting", kind: "credential" },
  collection: "credentials",
  fields: CredentialFields,
  computed: [
    "eligibility",
    "statusDetail",
    "lastVerifiedAt",
    "statusSince",
    "lastCorrelationId",
    "lastKnown",
    "decision",
    "erasedAt",
    "expiryDateOrigin",
    "declaredExpiryDate",
    "cleared"
  ].map(attribute),
  fixed: [{ path: attribute("owners"), advice: "use link, unlink or transfer" }],
  defaults: ownerTypes.map((type) => ({ path: slot(type), value: null })),
  verified: true,
  judged: [{ path: holder("birthDate"), as: "birthDate" }],
  personal: [
    ...["category", "identifier", "issueNumber", "cardType", "holder", "issuingCountry", "issueDate"],
    ...["declaredExpiryDate", "decision"]
  ].map((name) => ({ path: attribute(name) })),
  erasedAt: attribute("erasedAt"),
  links: [],
  verbatim: {
    until: "expiry_date",
    hidden: [
      ...["cleared", "declaredExpiryDate", "decision"].map((key) => ({ key })),
      { key: "expiryDateOrigin", always: "register" }
    ]
  },
  columns: {
    ...Object.fromEntries(ownerTypes.map((type) => [ownerColumns[type], { path: slot(type), apart: true }] as const)),
    credential_type: { path: attribute("credentialType") },
    jurisdiction: { path: attribute("jurisdiction") },
    identifier: { path: attribute("identifier"), card: true },
    eligibility: { path: attribute("eligibility") },
    expiry_date: { path: attribute("expiryDate") }
  },
  filters: {
    ...ownerFilters,
    credentialType: { by: "equal", column: "credential_type", among: CredentialType.codes },
    jurisdiction: { by: "equal", column: "jurisdiction", among: CredentialType.jurisdictions },
    identifier: { by: "equal", column: "identifier" },
    eligibility: {
      by: "lapsing",
      column: "eligibility",
      until: "expiry_date",
      lapsed: Verification.lapsed.eligibility,
      among: Verification.eligibilities
    },
    expiringFrom: { by: "from", column: "expiry_date" },
    expiringBefore: { by: "before", column: "expiry_date" },
    unit: { by: "unit" },
    query: { by: "words" }
  },
  searched: {
    names: [holder("lastName"), holder("firstName"), holder("middleName")],
    ids: [attribute("identifier")]
  },
  sorts: { credentialType: "credential_type", expiryDate: "expiry_date" }
} as const satisfies Resource<CredentialFields>

/** Returns whether creating the credential starts a verification (§4.2). */
export const isVerifiable = (fields: CredentialFields): boolean =>
  CredentialType.find(fields.attributes.credentialType)?.verifiable ?? false

/** Fails if the credential has no owner (§8). */
export const requireOwner = (fields: CredentialFields): Result.Result<CredentialFields, InvalidArgument> =>
  ownersIn(fields.attributes.owners).length > 0
    ? Result.succeed(fields)
    : Result.fail(new InvalidArgument({ field: "attributes.owners", reason: `must name ${anyOwner}` }))

/** Returns the fields with the card number in the form of its register. */
const withCardForm = ({ attributes }: CredentialFields): CredentialFields => {
  const form = CredentialType.find(attributes.credentialType)?.identifier
  return form === undefined || form === null || attributes.identifier === undefined
    ? { attributes }
    : { attributes: { ...attributes, identifier: inFormOf(form.pattern, attributes.identifier) } }
}

/**
 * Checks the fields by the catalogue of types. Fills in the jurisdiction, puts the card number in the form of its
 * register and returns warnings, or fails.
 */
export const classify = (sent: CredentialFields): Result.Result<Written<CredentialFields>, InvalidArgument> => {
  const fields = withCardForm(sent)
  const remarks = CredentialType.check(fields.attributes)
  if (remarks instanceof InvalidArgument) return Result.fail(remarks)
  const type = CredentialType.find(fields.attributes.credentialType)
  const jurisdiction = fields.attributes.jurisdiction ?? type?.jurisdiction
  return Result.succeed({
    fields: jurisdiction === undefined ? fields : { attributes: { ...fields.attributes, jurisdiction } },
    warnings: remarks
  })
}

/** Returns the expiry date that the caller declared, if known. */
export const declaredExpiryDate = ({ attributes }: CredentialFields): string | undefined =>
  attributes.expiryDateOrigin === undefined ? attributes.expiryDate : attributes.declaredExpiryDate

/**
 * Returns the fields with an expiry date. A date other than the declared one comes from a register. The declared one is
 * kept beside it only if the register is asked with it.
 */
export const withExpiryDate = (
  { attributes }: CredentialFields,
  expiryDate: string | undefined,
  declared: string | undefined
): CredentialFields => {
  const { declaredExpiryDate: _e, expiryDate: _d, expiryDateOrigin: _o, ...others } = attributes
  if (expiryDate === undefined) return { attributes: others }
  if (expiryDate === declared) return { attributes: { ...others, expiryDate } }
  const isAskedWith = declared !== undefined && CredentialType.asksForExpiryDate(attributes.credentialType)
  const kept = isAskedWith ? { declaredExpiryDate: declared } : {}
  return { attributes: { ...others, expiryDate, expiryDateOrigin: "register", ...kept } }
}

/**
 * The dotted paths below `attributes` that the register is asked with and that the credential lacks. A date of the
 * register itself is no declaration.
 */
export const missingDetails = (fields: CredentialFields): ReadonlyArray<string> =>
  CredentialType.missingFrom(fields.attributes.credentialType, {
    ...fields.attributes,
    expiryDate: declaredExpiryDate(fields) ?? null
  })

/** The warnings about a credential as it will be stored. */
export const remarksOn = (fields: CredentialFields, today: string): ReadonlyArray<string> => {
  const { credentialType } = fields.attributes
  const declared = declaredExpiryDate(fields)
  const isTooFar = declared !== undefined && CredentialType.isBeyondLife(credentialType, declared, today)
  return [
    ...missingDetails(fields).map((path) => `attributes.${path} is missing: the register is not asked without it`),
    ...(isTooFar ? [`attributes.expiryDate is later than any ${credentialType} is valid`] : [])
  ]
}

/** Removes all register data from the fields. A verifiable type becomes PENDING. */
export const unverified = (fields: CredentialFields, correlationId?: string): CredentialFields => {
  const declared = declaredExpiryDate(fields)
  const dated = withExpiryDate(fields, declared, declared)
  const {
    decision: _d,
    eligibility: _e,
    lastKnown: _k,
    lastVerifiedAt: _v,
    statusDetail: _s,
    statusSince: _t,
    ...attributes
  } = dated.attributes
  return {
    attributes: {
      ...attributes,
      ...(isVerifiable(fields) ? Verification.pending : {}),
      ...(correlationId === undefined ? {} : { lastCorrelationId: correlationId })
    }
  }
}

/** Removes a decision that a later verdict ends for good. */
export const decidedAfter = (
  attributes: CredentialFields["attributes"],
  verdict: Verification.Verdict
): CredentialFields["attributes"] => {
  const { decision, ...others } = attributes
  return decision !== undefined && isOutranked(decision, verdict) ? others : attributes
}

const decidedOn = (attributes: CredentialFields["attributes"], today: string): CredentialFields["attributes"] => {
  const { decision, ...others } = attributes
  return decision === undefined || !isLapsed(decision.endsOn, today) ? attributes : others
}

/**
 * Returns the credential as it reads on a day. After the expiry date the verdict is EXPIRED (DECISIONS.md#fields). A
 * decision is gone after its last day.
 */
export const readOn = (stored: Stored<CredentialFields>, today: string): Stored<CredentialFields> => {
  const attributes = decidedOn(stored.fields.attributes, today)
  if (isLapsed(attributes.expiryDate, today)) {
    const { statusSince: _, ...others } = attributes
    return { ...stored, fields: { attributes: { ...others, ...Verification.lapsed } } }
  }
  return attributes === stored.fields.attributes ? stored : { ...stored, fields: { attributes } }
}

/** Returns the credential as GET shows it on a day. */
export const documentOn = (stored: Stored<CredentialFields>, today: string): Document<CredentialView> => {
  const document = toDocument(Credential, readOn(stored, today))
  const { cleared: _c, declaredExpiryDate: _d, expiryDateOrigin: _o, ...attributes } = document.attributes
  return { ...document, attributes }
}

/** The part of a credential that ownership decisions and events need. */
export interface Slots {
  readonly id: string
  readonly credentialType: string
  readonly jurisdiction: string | null
  readonly owners: Owners
}

/** Returns the `Slots` of a stored credential. */
export const slotsOf = ({ fields: { attributes }, id }: Stored<CredentialFields>): Slots => ({
  id,
  credentialType: attributes.credentialType,
  jurisdiction: attributes.jurisdiction ?? null,
  owners: attributes.owners
})

/** Returns the event of a change. The payload has ids and codes, no personal data (DECISIONS.md#webhooks). */
export const eventOf = (
  kind: EventKind,
  id: string,
  { credentialType, id: credentialId, jurisdiction, owners }: Slots,
  correlationId: string | null,
  at: Instant
) =>
  ({
    id,
    kind,
    subjectId: credentialId,
    correlationId,
    data: { credential: { id: credentialId, type: "credential", credentialType, owners } },
    about: { credentialType, jurisdiction },
    at
  }) satisfies EventDraft
