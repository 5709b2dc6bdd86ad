import type { Profile } from "@wcs/conformance/profile/Profile"
import { existingIds } from "../server/Setting.ts"
import { type Choice, choice, choicesOf, withGroup, withoutNeed } from "./Rows.ts"

const bodies =
  (told: NonNullable<Profile["ownership"]>) =>
  (profile: Profile): Profile => ({ ...profile, ownership: { ...profile.ownership, ...told } })

const reference = { owner: { type: "{{ownerType}}", id: "{{ownerId}}" } }

const withOneReference = (profile: Profile): Profile => ({
  ...withGroup("credential", (group) => ({
    ...group,
    create: { body: { what: "first-aid", number: "{{unique}}", ...reference } }
  }))(profile),
  verifiableCredential: { body: { what: "wwc", number: "{{unique}}", ...reference } }
})

const withWorker = withGroup("credential", (group) => ({
  ...group,
  create: { body: { what: "first-aid", number: "{{unique}}", workerId: "{{worker}}" } }
}))

const withoutApplicants = (profile: Profile): Profile => {
  const { applicant: _, credentialCheck: __, ...groups } = profile.groups ?? {}
  return withoutNeed({ ...profile, groups }, "applicant")
}

/** The profile of a server that makes these owners by other ways than its interface. */
const existing =
  (type: "worker" | "applicant", count: number) =>
  (profile: Profile): Profile => {
    const { [type]: _, ...groups } = profile.groups ?? {}
    const owners = { ...profile.owners, [type]: { existing: existingIds(type, count) } }
    const { path } = profile.groups?.["applicant"] ?? {}
    const kept =
      type === "applicant" ? { ...groups, ...(path !== undefined && { applicant: { path } }) } : profile.groups
    return { ...profile, groups: kept ?? {}, owners }
  }

const slots: ReadonlyArray<Choice> = [
  // the server's own: an empty text
  ...choicesOf("an empty slot", ["null", "an object", "a list"], ["SIL-04"]),
  // the server's own: a no-op
  choice("unlinking another owner", "409 OWNER_MISMATCH", ["SIL-06"]),
  // the server's own: 400 to both
  ...choicesOf("refusal of the last owner", ["422 UNPROCESSABLE", "409 OWNER_MISMATCH"], ["SIL-01", "OWN-12"]),
  ...choicesOf("refusal of a wrong reference", ["422 UNPROCESSABLE", "404 NOT_FOUND"], ["OWN-16"]),
  // the server's own: 404
  ...choicesOf("an unknown owner", ["422 UNPROCESSABLE", "accepted"], ["SIL-17"]),
  // the server's own: 409 OWNER_MISMATCH, 409 or a no-op by the owner, 400, and a no-op
  ...choicesOf("a transfer out of an empty slot", ["accepted", "a no-op"], ["SIL-28"]),
  choice("a transfer to oneself", "409 OWNER_MISMATCH", ["SIL-28"]),
  ...choicesOf("a transfer to the other slot", ["both stay", "409 OWNER_MISMATCH"], ["SIL-08"]),
  choice("a transfer to the owner by another", "409 OWNER_MISMATCH", ["SIL-07"]),
  // the server's own: `owner` for both, and `from` and `target`
  choice("body of a link", "id and type", ["OWN-01"], {
    profile: bodies({ link: { type: "{{type}}", id: "{{id}}" } })
  }),
  choice("body of an unlink", "two fields", ["OWN-11"], {
    profile: bodies({ unlink: { ownerType: "{{type}}", ownerId: "{{id}}" } })
  }),
  choice("body of a bulk link", "source and owner", ["BLK-01"], {
    profile: bodies({ bulkLink: { source: "{{from}}", owner: "{{to}}", credentialIds: "{{credentialIds}}" } })
  })
]

const batches: ReadonlyArray<Choice> = [
  choice("items of a batch", "reversed", ["BLK-02"]),
  // the server's own: 400
  ...choicesOf("an id that is twice in a batch", ["one item", "two items"], ["SIL-16"]),
  // the server's own: no item, a skipped item, and the ids alone
  choice("an empty batch", "refused", ["SIL-16"]),
  choice("a malformed id in a batch", "refused", ["SIL-27"]),
  choice("from beside the ids of a batch", "refused", ["SIL-27"]),
  // the server's own: 404 and 400
  ...choicesOf("an unknown owner of a batch", ["422 UNPROCESSABLE", "skipped"], ["SIL-27"]),
  ...choicesOf("refusal of a large batch", ["422 UNPROCESSABLE", "413 PAGE"], ["BLK-09", "SIL-21"])
]

const owners: ReadonlyArray<Choice> = [
  // the server's own: `workerId` and `applicantId`, both in the profile
  choice("owners of a new credential", "one reference", ["CRD-01"], { profile: withOneReference }),
  choice("owners of a new credential", "a worker", ["CRD-01"], { profile: withWorker }),
  choice("applicants", "three exist", ["OWN-02"], { profile: existing("applicant", 3) }),
  choice("applicants", "two exist", ["OWN-02"], { profile: existing("applicant", 2) }),
  choice("applicants", "are not in the profile", ["CRD-10", "OWN-02"], {
    profile: withoutApplicants,
    // they can be at another path than the usual one
    blocks: ["PRV-14"]
  }),
  // a batch that is sent as a form must not concern all credentials of such an owner
  choice("workers", "exist", ["OWN-02", "TRN-08"], {
    profile: existing("worker", 3),
    blocks: ["BLK-10", "BLK-11"]
  })
]

/** Choices about OWN and BLK. */
export const ownerChoices: ReadonlyArray<Choice> = [...slots, ...batches, ...owners]
