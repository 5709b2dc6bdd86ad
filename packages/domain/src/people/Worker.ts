import { Schema } from "effect"
import type { Resource } from "../resource/Resource.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"

/** The origin of a record: the caller's own id, which can be looked up (§2.2). */
export const Source = Schema.Struct({
  externalId: Schema.optionalKey(line(200)),
  sourceSystem: Schema.optionalKey(line(100))
})

export const WorkerFields = Schema.Struct({
  identity: Schema.Struct({
    displayName: line(200),
    firstName: Schema.optionalKey(line(100)),
    middleName: Schema.optionalKey(line(100)),
    lastName: Schema.optionalKey(line(100)),
    otherNames: Schema.optionalKey(
      Schema.Array(line(200)).check(Schema.isMaxLength(20, { message: "must have at most 20 names" }))
    ),
    birthDate: Schema.optionalKey(CalendarDate)
  }),
  contact: Schema.optionalKey(
    Schema.Struct({
      workEmail: Schema.optionalKey(line(254)),
      personalEmail: Schema.optionalKey(line(254)),
      mobileNumber: Schema.optionalKey(line(40))
    })
  ),
  employment: Schema.optionalKey(
    Schema.Struct({
      jobTitle: Schema.optionalKey(line(200)),
      workerType: Schema.optionalKey(Schema.Literals(["EMPLOYEE", "VOLUNTEER", "CONTRACTOR"])),
      status: Schema.optionalKey(Schema.Literals(["ACTIVE", "INACTIVE", "ON_LEAVE", "TERMINATED"])),
      startDate: Schema.optionalKey(CalendarDate),
      endDate: Schema.optionalKey(CalendarDate),
      organisationName: Schema.optionalKey(line(200))
    })
  ),
  source: Schema.optionalKey(Source)
})
export type WorkerFields = typeof WorkerFields.Type

/** A person who works for the organization (§2.2, §4.2). */
export const Worker = {
  type: "worker",
  naming: { by: "minting", kind: "worker" },
  collection: "workers",
  fields: WorkerFields,
  computed: [],
  fixed: [],
  defaults: [],
  links: [],
  verbatim: {},
  columns: {
    external_id: { path: ["source", "externalId"] },
    source_system: { path: ["source", "sourceSystem"] },
    display_name: { path: ["identity", "displayName"], folded: true },
    last_name: { path: ["identity", "lastName"], folded: true }
  },
  filters: {
    externalId: { by: "equal", column: "external_id" },
    sourceSystem: { by: "equal", column: "source_system" },
    query: { by: "prefix", columns: ["display_name", "last_name"] }
  },
  sorts: { displayName: "display_name", lastName: "last_name", externalId: "external_id" }
} as const satisfies Resource<WorkerFields>
