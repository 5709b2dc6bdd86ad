import { Schema } from "effect"
import { enumeration } from "../resource/Enumeration.ts"
import { dayAfter } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject, Path } from "../shared/Json.ts"
import { at } from "../shared/Json.ts"
import { oneOf } from "../shared/ValueFormat.ts"

/** An issuer: an Australian state or territory, or the whole country. */
export type Jurisdiction = "NSW" | "VIC" | "QLD" | "SA" | "WA" | "TAS" | "ACT" | "NT" | "NATIONAL"
export const jurisdictions: ReadonlyArray<Jurisdiction> = [
  "NSW",
  "VIC",
  "QLD",
  "SA",
  "WA",
  "TAS",
  "ACT",
  "NT",
  "NATIONAL"
]

const renewals = ["itself", "anew"] as const
type Renewal = (typeof renewals)[number]

/** A type of credential (DECISIONS.md#fields). */
export interface CredentialType {
  readonly code: string
  readonly displayName: string
  readonly jurisdiction: Jurisdiction
  /** Whether a register can verify this type. */
  readonly verifiable: boolean
  /** Whether a person verifies this type instead of a register. */
  readonly manual: boolean
  /** Paths below `attributes`. */
  readonly requiredFields: ReadonlyArray<Path>
  /** Paths below `attributes` without which the register does not find the person. Nothing is asked without them. */
  readonly askedWith: ReadonlyArray<Path>
  /** The years from issue to expiry; null if the issuer publishes none. */
  readonly validYears: number | null
  /** Whether a renewal keeps the card's number (`itself`) or gives a new one (`anew`); null if neither is published. */
  readonly renews: Renewal | null
  /** Whether a bar on one card of such a type can end the person's other cards of such types. */
  readonly barsOthers: boolean
  /** Whether the register answers only accounts of the employer. */
  readonly needsAccount: boolean
  /** The format of `identifier`. `strict` refuses a mismatch; otherwise a mismatch gives a warning. */
  readonly identifier: { readonly pattern: RegExp; readonly form: string; readonly strict: boolean } | null
}

const number: Path = ["identifier"]
const firstName: Path = ["holder", "firstName"]
const lastName: Path = ["holder", "lastName"]
const birthDate: Path = ["holder", "birthDate"]
const expiryDate: Path = ["expiryDate"]
const issuingCountry: Path = ["issuingCountry"]

/** What differs between types that a register or a person verifies. */
interface Varying
  extends Partial<
    Pick<CredentialType, "manual" | "askedWith" | "validYears" | "renews" | "barsOthers" | "needsAccount">
  > {
  /** The required fields; only the number by default. */
  readonly requires?: ReadonlyArray<Path>
}

const carded = (
  code: string,
  displayName: string,
  jurisdiction: Jurisdiction,
  identifier: CredentialType["identifier"],
  {
    askedWith = [number],
    barsOthers = false,
    manual = false,
    needsAccount = false,
    renews = null,
    requires = [number],
    validYears = null
  }: Varying = {}
): CredentialType => ({
  code,
  displayName,
  jurisdiction,
  verifiable: true,
  manual,
  requiredFields: requires,
  askedWith,
  validYears,
  renews,
  barsOthers,
  needsAccount,
  identifier
})

const lenient = (pattern: RegExp, form: string) => ({ pattern, form, strict: false })
const strict = (pattern: RegExp, form: string) => ({ pattern, form, strict: true })

const states = ["NSW", "VIC", "QLD", "SA", "WA", "TAS", "ACT", "NT"] as const

/** The states whose board of teachers has a public register. The one of the ACT has none. */
const withoutTeacherRegister = "ACT"

/**
 * All credential types by code. `strict` only if the register's format is certain. What a register is asked with, and
 * how long a card lives, is what its authority publishes (DECISIONS.md#registers).
 */
export const catalogue: ReadonlyArray<CredentialType> = [
  carded(
    "WWCC_NSW",
    "Working With Children Check (New South Wales)",
    "NSW",
    strict(/^(WWC\d{7}[EV]|APP\d{6,10})$/, "WWC with 7 digits and a final E or V, or APP with 6 to 10 digits"),
    {
      ...{ barsOthers: true, needsAccount: true },
      ...{ askedWith: [number, lastName, birthDate], validYears: 5, renews: "itself" }
    }
  ),
  carded(
    "WWCC_VIC",
    "Working with Children Check (Victoria)",
    "VIC",
    lenient(/^\d{7}[A-Z]?-?\d{0,2}$/, "7 digits, then a letter, then 2 digits"),
    { barsOthers: true, askedWith: [number, lastName], validYears: 5 }
  ),
  carded(
    "WWCC_SA",
    "Working with Children Check (South Australia)",
    "SA",
    lenient(/^[A-Z]{0,3}\d{6,10}$/, "6 to 10 digits"),
    { barsOthers: true, needsAccount: true, askedWith: [number, lastName], validYears: 5 }
  ),
  carded("WWCC_WA", "Working with Children Check (Western Australia)", "WA", lenient(/^\d{5,8}$/, "5 to 8 digits"), {
    barsOthers: true,
    askedWith: [number, lastName],
    validYears: 3,
    renews: "itself"
  }),
  carded(
    "BLUE_CARD_QLD",
    "Blue Card (Queensland)",
    "QLD",
    lenient(/^\d{6,8}\/\d{1,2}$/, "6 to 8 digits, then a slash, then the issue number"),
    { barsOthers: true, askedWith: [number, firstName, lastName, expiryDate], validYears: 3, renews: "anew" }
  ),
  carded(
    "EXEMPTION_CARD_QLD",
    "Exemption Card (Queensland)",
    "QLD",
    lenient(/^\d{6,8}(\/\d{1,2})?$/, "6 to 8 digits, then a slash and the issue number, if any"),
    { barsOthers: true, askedWith: [number, firstName, lastName, expiryDate] }
  ),
  carded("WWVP_TAS", "Working with Vulnerable People (Tasmania)", "TAS", lenient(/^\d{7,10}$/, "7 to 10 digits"), {
    barsOthers: true,
    askedWith: [number, lastName],
    validYears: 5
  }),
  carded(
    "WWVP_ACT",
    "Working with Vulnerable People (Australian Capital Territory)",
    "ACT",
    lenient(/^[VE]?-?\d{6,10}$/, "6 to 10 digits"),
    { barsOthers: true, askedWith: [], manual: true, validYears: 5 }
  ),
  carded("OCHRE_CARD_NT", "Ochre Card (Northern Territory)", "NT", lenient(/^\d{5,8}$/, "5 to 8 digits"), {
    barsOthers: true,
    askedWith: [number, firstName, lastName, birthDate],
    validYears: 2
  }),
  carded("NDIS_WORKER_SCREENING", "NDIS Worker Screening Check", "NATIONAL", lenient(/^\d{8}$/, "8 digits"), {
    barsOthers: true,
    needsAccount: true,
    validYears: 5
  }),
  ...states.map((state) =>
    carded(
      `TEACHER_REGISTRATION_${state}`,
      `Teacher registration (${state})`,
      state,
      lenient(/^\d{4,9}$/, "4 to 9 digits"),
      state === withoutTeacherRegister ? { askedWith: [], manual: true } : {}
    )
  ),
  carded(
    "AHPRA_REGISTRATION",
    "Health practitioner registration (AHPRA)",
    "NATIONAL",
    strict(/^[A-Z]{3}\d{10}$/, "3 capital letters, then 10 digits")
  ),
  carded("POLICE_CHECK_NATIONAL", "National police check", "NATIONAL", null),
  carded("POLICE_CHECK_INTERNATIONAL", "International police check", "NATIONAL", null, {
    askedWith: [],
    manual: true,
    requires: [number, issuingCountry]
  }),
  carded(
    "RIGHT_TO_WORK",
    "Right to work in Australia (passport)",
    "NATIONAL",
    lenient(/^[A-Z0-9]{6,12}$/, "6 to 12 letters and digits"),
    { askedWith: [number, issuingCountry, lastName, birthDate], requires: [number, issuingCountry] }
  ),
  {
    code: "FIRST_AID",
    displayName: "First aid certificate",
    jurisdiction: "NATIONAL",
    verifiable: false,
    manual: false,
    requiredFields: [],
    askedWith: [],
    validYears: null,
    renews: null,
    barsOthers: false,
    needsAccount: false,
    identifier: null
  }
]

const byCode = new Map(catalogue.map((row) => [row.code, row]))

export const codes: ReadonlyArray<string> = catalogue.map((row) => row.code)

/** The codes of the types that a register or a person verifies. */
export const verifiableCodes: ReadonlyArray<string> = catalogue.flatMap(({ code, verifiable }) =>
  verifiable ? [code] : []
)

/** A code of the catalogue. */
export const CodeOfType = enumeration("CredentialTypeCode", codes)

export const JurisdictionName = enumeration("Jurisdiction", jurisdictions)

/** A credential type on the wire. */
export const CredentialTypeFields = Schema.Struct({
  code: CodeOfType.annotateKey({ description: "The value of `attributes.credentialType`. A code never changes." }),
  displayName: Schema.String.annotate({ description: "Name of the type for people, in English." }),
  jurisdiction: JurisdictionName.annotateKey({
    description: "Jurisdiction of the issuer. For a state or territory, another one in a credential gives a warning."
  }),
  verifiable: Schema.Boolean.annotate({ description: "Whether a register can verify this type." }),
  manual: Schema.Boolean.annotate({ description: "Whether a person verifies this type instead of a register." }),
  requiredFields: Schema.Array(Schema.String).annotate({
    description: "Dotted paths below `attributes` that a credential of this type must have."
  }),
  askedWith: Schema.Array(Schema.String).annotate({
    description:
      "Dotted paths below `attributes` that the register is asked with. While one is missing, nothing is asked and the " +
      "credential reads as DETAILS_MISSING."
  }),
  validYears: Schema.NullOr(Schema.Int).annotate({
    description: "Years that a card is valid. An `expiryDate` far beyond them gives a warning. Null if not published."
  }),
  barsOthers: Schema.Boolean.annotate({
    description:
      "Whether a bar on one card can end the person's other cards of such types: these are then verified again."
  }),
  needsAccount: Schema.Boolean.annotate({
    description:
      "Whether the register answers only accounts of the employer. Such a type needs a verification source, or reads as " +
      "SOURCE_NOT_CONFIGURED."
  }),
  renews: Schema.NullOr(enumeration("Renewal", renewals)).annotate({
    description: "Whether a renewed card keeps its number (itself) or gets a new one (anew). Null if not published."
  }),
  identifier: Schema.NullOr(
    Schema.Struct({
      pattern: Schema.String.annotate({ description: "A regular expression (ECMA-262)." }),
      form: Schema.String.annotate({ description: "The pattern in words." }),
      strict: Schema.Boolean.annotate({
        description: "True: a mismatch is refused. False: a mismatch gives a warning."
      })
    })
  ).annotate({ description: "The format of `attributes.identifier`; null if unknown." })
})

const dotted = (path: Path): string => path.join(".")

/** The catalogue as `GET /credential-types` returns it. */
export const shown: ReadonlyArray<typeof CredentialTypeFields.Type> = catalogue.map(
  ({ askedWith, identifier, requiredFields, ...row }) => ({
    ...row,
    requiredFields: requiredFields.map(dotted),
    askedWith: askedWith.map(dotted),
    identifier: identifier === null ? null : { ...identifier, pattern: identifier.pattern.source }
  })
)

/** The types whose register can be asked by a program. */
export const asked: ReadonlyArray<string> = catalogue
  .filter(({ manual, verifiable }) => verifiable && !manual)
  .map(({ code }) => code)

/** The types whose register answers only accounts of an employer. */
export const withAccounts: ReadonlyArray<string> = catalogue
  .filter(({ needsAccount }) => needsAccount)
  .map(({ code }) => code)

/** A list of credential type codes. */
export const Codes = Schema.Array(CodeOfType).check(Schema.isMaxLength(100, { message: "must have at most 100 types" }))

/** Returns the type with this code, if the catalogue has it. */
export const find = (code: string): CredentialType | undefined => byCode.get(code)

/** The dotted paths that the type's register is asked with and that are absent or null in these values. */
export const missingFrom = (code: string, values: JsonObject): ReadonlyArray<string> =>
  (find(code)?.askedWith ?? []).filter((path) => (at(values, path) ?? null) === null).map(dotted)

/** Whether the type's register is asked with the expiry date of the card. */
export const asksForExpiryDate = (code: string): boolean => find(code)?.askedWith.includes(expiryDate) ?? false

/** Whether a renewal of the type has a new number, so that the register knows nothing new about an expired card. */
export const renewsAnew = (code: string): boolean => find(code)?.renews === "anew"

/** The types whose cards can end together. */
export const barredTogether: ReadonlyArray<string> = catalogue.filter((row) => row.barsOthers).map(({ code }) => code)

/** How long before its expiry a card can be renewed: the longest that an issuer publishes, 16 weeks. */
const renewalDays = 112

/** Whether no card of this type, also one renewed today, is valid until then. Dates are `YYYY-MM-DD`. */
export const isBeyondLife = (code: string, expiryDate: string, today: string): boolean => {
  const years = find(code)?.validYears ?? null
  if (years === null) return false
  const latest = dayAfter(today, renewalDays)
  return expiryDate > `${Number(latest.slice(0, 4)) + years}${latest.slice(4)}`
}

const unusual = (field: string, type: CredentialType, expected: string): string =>
  `attributes.${field} is unusual for ${type.code}: expected ${expected}`

/** Checks a credential's attributes by the catalogue. Returns the first error, or warnings. */
export const check = (attributes: JsonObject): InvalidArgument | ReadonlyArray<string> => {
  const code = attributes["credentialType"]
  const type = typeof code === "string" ? find(code) : undefined
  if (type === undefined) {
    return new InvalidArgument({ field: "attributes.credentialType", reason: `must be ${oneOf(codes)}` })
  }
  const missing = type.requiredFields.find((path) => at(attributes, path) === undefined)
  if (missing !== undefined) {
    return new InvalidArgument({ field: `attributes.${missing.join(".")}`, reason: `is required for ${type.code}` })
  }
  const { identifier, jurisdiction } = attributes
  const isElsewhere =
    type.jurisdiction !== "NATIONAL" && jurisdiction !== undefined && jurisdiction !== type.jurisdiction
  const remarks = isElsewhere ? [unusual("jurisdiction", type, type.jurisdiction)] : []
  const form = type.identifier
  if (form === null || typeof identifier !== "string" || form.pattern.test(identifier)) return remarks
  return form.strict
    ? new InvalidArgument({ field: "attributes.identifier", reason: `must be ${form.form}` })
    : [...remarks, unusual("identifier", type, form.form)]
}
