import { Schema } from "effect"
import { ErasedAt, erasedText } from "../resource/Erasing.ts"
import type { Resource } from "../resource/Resource.ts"
import { WorkerId } from "../shared/Id.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { emailForm, enforcedElsewhere, line } from "../shared/Text.ts"
import { unreachableFilter } from "./Address.ts"
import { UnitLink, unitLink } from "./Unit.ts"

const workerTypes = ["EMPLOYEE", "VOLUNTEER", "CONTRACTOR"] as const
export type WorkerType = (typeof workerTypes)[number]

export const engagements = ["PAID", "VOLUNTARY"] as const
export type Engagement = (typeof engagements)[number]

/** Whether somebody of this type is paid; undefined if the type is unknown. */
export const engagementOf = (workerType: WorkerType | undefined): Engagement | undefined =>
  workerType === undefined ? undefined : workerType === "VOLUNTEER" ? "VOLUNTARY" : "PAID"

/** The values of `employment.status`. */
export const workerStatuses = ["ACTIVE", "INACTIVE", "ON_LEAVE", "TERMINATED"] as const

/** The origin of a record: the caller's own id, which can be looked up (§2.2). */
export const Source = Schema.Struct({
  externalId: Schema.optionalKey(line(200)).annotateKey({
    description:
      "Id of the person in the caller's own system. Lists find records by it. The service does not enforce that it is unique."
  }),
  sourceSystem: Schema.optionalKey(line(100)).annotateKey({
    description: "Name of the system that `externalId` belongs to, in the caller's words. Lists filter by it."
  })
})

export const WorkerFields = Schema.Struct({
  identity: Schema.Struct({
    displayName: line(200).annotateKey({
      description: "Full name for display, the only required field of a worker. Lists search and sort by it."
    }),
    firstName: Schema.optionalKey(line(100)).annotateKey({
      description: "First given name. Independent of `displayName`. Absent if unknown."
    }),
    middleName: Schema.optionalKey(line(100)).annotateKey({
      description: "Other given names, in one text. Absent if there are none or they are unknown."
    }),
    lastName: Schema.optionalKey(line(100)).annotateKey({
      description: "Family name. Lists search and sort by it. Absent if unknown."
    }),
    otherNames: Schema.optionalKey(
      Schema.Array(line(200)).check(Schema.isMaxLength(20, { message: "must have at most 20 names" }))
    ).annotateKey({ description: "Former names and aliases, each as a full name. They are never sent to a register." }),
    birthDate: Schema.optionalKey(CalendarDate).annotateKey({
      description:
        "Date of birth, plausible. Registers get the date in `attributes.holder` of the credential, not this one."
    })
  }).annotateKey({ description: "Names and date of birth of the person." }),
  contact: Schema.optionalKey(
    Schema.Struct({
      workEmail: Schema.optionalKey(line(254).check(enforcedElsewhere({ pattern: emailForm.source }))).annotateKey({
        description: "Email address at work, kept as sent. The legacy surface shows it as `email`."
      }),
      personalEmail: Schema.optionalKey(line(254).check(enforcedElsewhere({ pattern: emailForm.source }))).annotateKey({
        description: "Private email address, kept as sent. The legacy surface shows it if `workEmail` is absent."
      }),
      mobileNumber: Schema.optionalKey(line(40)).annotateKey({
        description: "Mobile phone number in any notation, kept as sent."
      })
    })
  ).annotateKey({
    description:
      "Ways to reach the person. E-mails go to `workEmail`, or to `personalEmail` if there is none, if the organization " +
      "sends any (`PUT /message-settings`)."
  }),
  employment: Schema.optionalKey(
    Schema.Struct({
      jobTitle: Schema.optionalKey(line(200)).annotateKey({
        description: "Title of the position, in the caller's words."
      }),
      workerType: Schema.optionalKey(Schema.Literals(workerTypes)).annotateKey({
        description: "Kind of engagement. A card for volunteers clears nobody for paid work (EMPLOYEE, CONTRACTOR)."
      }),
      status: Schema.optionalKey(Schema.Literals(workerStatuses)).annotateKey({
        description:
          "Employment status, set by the caller. On the legacy surface, INACTIVE and TERMINATED are not active. " +
          "A TERMINATED person has left: the cards give no warnings, and the compliance of all workers leaves the person out."
      }),
      startDate: Schema.optionalKey(CalendarDate).annotateKey({ description: "First day of the employment." }),
      endDate: Schema.optionalKey(CalendarDate).annotateKey({
        description:
          "Last day of the employment. Absent while it is open. After it, the person has left, as if TERMINATED."
      }),
      organisationName: Schema.optionalKey(line(200)).annotateKey({
        description: "Name of the employing organization, in the caller's words. Not the name of the tenant."
      })
    })
  ).annotateKey({
    description:
      "Employment as the caller states it. It affects no verdict. Warnings and compliance leave out a person who has left."
  }),
  source: Schema.optionalKey(Source).annotateKey({
    description: "Origin of the record in the caller's own system. Absent if the caller gave none."
  }),
  mergedInto: Schema.optionalKey(Schema.Struct({ id: WorkerId })).annotateKey({
    description:
      "The worker that continues this one after a merge. Set by the server. A merged worker is deleted, and only the undo " +
      "of the merge restores it. Absent otherwise."
  }),
  unit: UnitLink,
  erasedAt: ErasedAt
})
export type WorkerFields = typeof WorkerFields.Type

/** A person who works for the organization (§2.2, §4.2). */
export const Worker = {
  type: "worker",
  naming: { by: "minting", kind: "worker" },
  collection: "workers",
  fields: WorkerFields,
  computed: [["erasedAt"], ["mergedInto"]],
  fixed: [],
  defaults: [],
  judged: [
    { path: ["identity", "birthDate"], as: "birthDate" },
    { path: ["contact", "workEmail"], as: "email" },
    { path: ["contact", "personalEmail"], as: "email" }
  ],
  personal: [
    { path: ["identity"], as: { displayName: erasedText } },
    { path: ["contact"] },
    { path: ["employment"] },
    { path: ["source"] },
    { path: ["unit"] }
  ],
  addresses: [
    ["contact", "workEmail"],
    ["contact", "personalEmail"]
  ],
  erasedAt: ["erasedAt"],
  mergedInto: ["mergedInto", "id"],
  links: [unitLink],
  verbatim: {},
  columns: {
    external_id: { path: ["source", "externalId"] },
    source_system: { path: ["source", "sourceSystem"] },
    display_name: { path: ["identity", "displayName"], folded: true },
    last_name: { path: ["identity", "lastName"], folded: true },
    name_key: { path: ["identity", "displayName"], born: ["identity", "birthDate"] },
    unit_id: { path: ["unit", "id"] }
  },
  filters: {
    externalId: { by: "equal", column: "external_id" },
    sourceSystem: { by: "equal", column: "source_system" },
    unit: { by: "unit" },
    query: { by: "words" },
    ...unreachableFilter
  },
  searched: {
    names: [
      ["identity", "displayName"],
      ["identity", "lastName"],
      ["identity", "firstName"],
      ["identity", "middleName"],
      ["identity", "otherNames"]
    ],
    ids: [["source", "externalId"]]
  },
  sorts: { displayName: "display_name", lastName: "last_name", externalId: "external_id" }
} as const satisfies Resource<WorkerFields>
