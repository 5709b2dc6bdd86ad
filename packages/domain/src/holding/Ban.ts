import { Schema } from "effect"
import { Worker } from "../people/Worker.ts"
import type { Resource } from "../resource/Resource.ts"
import { time } from "../resource/ShownFields.ts"
import { WorkerId } from "../shared/Id.ts"
import { fromRfc3339 } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import { BanDecision } from "./BanDecision.ts"
import * as Verification from "./Verification.ts"

/** `urn:wcs:ban:<register>:<key>`. `<key>` is the register's own key (DECISIONS.md#resources). */
const urn = /^urn:wcs:ban:[a-z0-9][a-z0-9-]{0,31}:[0-9A-Za-z._-]{1,64}$/u

export const BanUrn = Schema.String.check(Schema.isPattern(urn)).annotate({
  description: "`urn:wcs:ban:<register>:<key>`, where `<key>` is the register's own key."
})

export const BanFields = Schema.Struct({
  register: Schema.String.check(
    Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,31}$/u, {
      message: "must be 1 to 32 characters of a-z, 0-9 and -, starting with a letter or digit"
    })
  ).annotateKey({ description: "Name of the register that has the record. It is part of `id`." }),
  worker: Schema.Struct({ id: WorkerId }).annotateKey({ description: "The worker that the record is about." }),
  checkedAt: time
    .check(Schema.makeFilter((text: string) => fromRfc3339(text) !== undefined || "must be an RFC 3339 time"))
    .annotateKey({ description: "When the register was checked, as the imported record states it." }),
  eligibility: Verification.EligibilityWord.annotateKey({
    description:
      "Verdict of the record. It changes no credential. A worker with MAY_NOT_ENGAGE passes no compliance check, and " +
      "neither does one with REVIEW_REQUIRED, a possible match, without a decision."
  }),
  matches: Schema.Array(
    Schema.Struct({
      name: Schema.optionalKey(line(200)).annotateKey({ description: "Name of the person in the register." }),
      reference: Schema.optionalKey(line(200)).annotateKey({ description: "The register's reference of the entry." }),
      detail: Schema.optionalKey(line(1000)).annotateKey({ description: "Further text of the register." })
    })
  )
    .check(Schema.isMaxLength(100, { message: "must have at most 100 matches" }))
    .annotateKey({ description: "Entries of the register that match the worker. Empty if the record lists none." }),
  decision: Schema.optionalKey(BanDecision).annotateKey({
    description:
      "What a person decided about a possible match. It counts until its last day, or until the register changes more than `checkedAt`."
  })
})
export type BanFields = typeof BanFields.Type

/** A register's record that bans a worker (DECISIONS.md#fields). */
export const Ban = {
  type: "ban",
  naming: { by: "urn", form: urn },
  collection: "bans",
  fields: BanFields,
  computed: [["decision"]],
  fixed: [],
  defaults: [{ path: ["matches"], value: [] }],
  personal: [{ path: ["matches"], as: [] }, { path: ["decision"] }],
  links: [{ path: ["worker"], resource: Worker, lookup: "externalId" }],
  verbatim: {},
  columns: {
    worker_id: { path: ["worker", "id"] },
    register: { path: ["register"] },
    eligibility: { path: ["eligibility"] },
    checked_at: { path: ["checkedAt"] }
  },
  filters: {
    ownerExternalId: {
      by: "holder",
      holders: [{ column: "worker_id", resource: "worker", lookup: "external_id" }]
    },
    workerId: { by: "equal", column: "worker_id", of: "worker" },
    register: { by: "equal", column: "register" },
    eligibility: { by: "equal", column: "eligibility", among: Verification.eligibilities }
  },
  sorts: { checkedAt: "checked_at" }
} as const satisfies Resource<BanFields>

/** The most bans of one worker that a check reads: the oldest. */
export const banLimit = 100
