import { Schema } from "effect"
import { ErasedAt } from "../resource/Erasing.ts"
import type { Resource } from "../resource/Resource.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { emailForm, line } from "../shared/Text.ts"
import { unreachableFilter } from "./Address.ts"
import { UnitLink, unitLink } from "./Unit.ts"
import { Source } from "./Worker.ts"

const statuses = ["NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN"] as const

export const ApplicantFields = Schema.Struct({
  displayName: Schema.optionalKey(line(200)).annotateKey({
    description: "Full name for display. Optional for applicants. Lists search and sort by it."
  }),
  firstName: Schema.optionalKey(line(100)).annotateKey({ description: "First given name. Absent if unknown." }),
  lastName: Schema.optionalKey(line(100)).annotateKey({
    description: "Family name. Lists search and sort by it. Absent if unknown."
  }),
  emailAddress: line(254)
    .check(Schema.isPattern(emailForm, { message: "must be an email address" }))
    .annotate({ valueFormat: "an email address of at most 254 characters" })
    .annotateKey({
      description: "Email address, kept as sent. Lists find it in any letter case. It need not be unique."
    }),
  phone: Schema.optionalKey(line(40)).annotateKey({ description: "Phone number in any notation, kept as sent." }),
  birthDate: Schema.optionalKey(CalendarDate).annotateKey({
    description:
      "Date of birth, plausible. Registers get the date in `attributes.holder` of the credential, not this one."
  }),
  source: Schema.optionalKey(Source).annotateKey({
    description: "Origin of the record in the caller's own system. Absent if the caller gave none."
  }),
  status: Schema.Literals(statuses).annotateKey({
    description: "Stage of the application, set by the caller; NEW by default. The service never changes it."
  }),
  unit: UnitLink,
  erasedAt: ErasedAt
})
export type ApplicantFields = typeof ApplicantFields.Type

/** A person who is being screened for a position (DECISIONS.md#fields). */
export const Applicant = {
  type: "applicant",
  naming: { by: "minting", kind: "applicant" },
  collection: "applicants",
  fields: ApplicantFields,
  computed: [["erasedAt"]],
  fixed: [],
  defaults: [{ path: ["status"], value: "NEW" }],
  judged: [{ path: ["birthDate"], as: "birthDate" }],
  personal: [
    { path: ["displayName"] },
    { path: ["firstName"] },
    { path: ["lastName"] },
    { path: ["emailAddress"], as: "erased@erased.invalid" },
    { path: ["phone"] },
    { path: ["birthDate"] },
    { path: ["source"] },
    { path: ["unit"] }
  ],
  addresses: [["emailAddress"]],
  erasedAt: ["erasedAt"],
  links: [unitLink],
  verbatim: {},
  columns: {
    external_id: { path: ["source", "externalId"] },
    source_system: { path: ["source", "sourceSystem"] },
    display_name: { path: ["displayName"], folded: true },
    last_name: { path: ["lastName"], folded: true },
    email_address: { path: ["emailAddress"], folded: true },
    status: { path: ["status"] },
    unit_id: { path: ["unit", "id"] }
  },
  filters: {
    externalId: { by: "equal", column: "external_id" },
    sourceSystem: { by: "equal", column: "source_system" },
    emailAddress: { by: "equal", column: "email_address" },
    status: { by: "equal", column: "status", among: statuses },
    unit: { by: "unit" },
    query: { by: "words" },
    ...unreachableFilter
  },
  searched: {
    names: [["displayName"], ["lastName"], ["firstName"], ["emailAddress"]],
    ids: [["source", "externalId"]]
  },
  sorts: {
    displayName: "display_name",
    lastName: "last_name",
    emailAddress: "email_address",
    externalId: "external_id"
  }
} as const satisfies Resource<ApplicantFields>
