import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { AlreadyLinked } from "@wcs/domain/Ownership"
import type { Mutant } from "../Mutant.ts"
import { because, deciding, into, losing, otherSlot, withSlot, writingWhatIsRefused } from "../OwnershipSeams.ts"
import * as Rewrite from "../Rewrite.ts"
import * as Seams from "../Seams.ts"

const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }

/** A link that has an effect, or should: into an empty slot. */
const linkMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-answers-201",
    rewrite: Rewrite.answers({ ...link, status: 200 }, (answer) => ({ ...answer, status: 201 })),
    kills: [
      { rule: "OWN-01", kind: "status", at: "status" },
      { rule: "OWN-02", kind: "status", at: "status" },
      { rule: "OWN-03", kind: "status", at: "status" }
    ]
  },
  {
    name: "link-of-a-worker-is-lost",
    stores: losing(({ action, changes }) => action === "link" && [...changes.values()].some(({ worker }) => worker)),
    kills: [{ rule: "OWN-01", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "link-of-a-worker-supersedes-the-applicant",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "worker" && owners.worker === null
        ? into({ worker: command.to.id, applicant: null })
        : undefined
    ),
    kills: [{ rule: "OWN-01", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }]
  },
  {
    name: "link-of-an-applicant-supersedes-the-worker",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant" && owners.applicant === null
        ? into({ worker: null, applicant: command.to.id })
        : undefined
    ),
    kills: [{ rule: "OWN-02", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "link-beside-another-owner-is-lost",
    stores: losing(({ action, found }) => action === "link" && found.some(({ owners }) => owners.worker !== null)),
    kills: [{ rule: "OWN-02", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }]
  }
]

/** A link of whoever is there already. */
const repeatedMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-of-the-holder-is-a-conflict",
    rules: deciding((owners, command) =>
      command._tag === "Link" && owners[command.to.type] === command.to.id
        ? because(new AlreadyLinked({ slot: command.to.type, holder: command.to.id, advice: "transfer" }))
        : undefined
    ),
    kills: [{ rule: "OWN-03", kind: "status", at: "status" }],
    alsoKills: ["OWN-15"]
  },
  {
    name: "link-of-the-holder-takes-it-out",
    rules: deciding((owners, command) =>
      command._tag === "Link" && owners[command.to.type] === command.to.id
        ? into(withSlot(owners, command.to.type, null))
        : undefined
    ),
    kills: [{ rule: "OWN-03", kind: "changed", at: "body.data.attributes.owners.worker" }],
    alsoKills: ["OWN-15"]
  },
  {
    name: "link-of-the-holding-applicant-is-a-conflict",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant" && owners.applicant === command.to.id
        ? because(new AlreadyLinked({ slot: "applicant", holder: command.to.id, advice: "transfer" }))
        : undefined
    ),
    kills: [{ rule: "OWN-15", kind: "status", at: "status" }]
  },
  {
    name: "link-of-the-holding-applicant-clears-the-worker",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant" && owners.applicant === command.to.id
        ? into(withSlot(owners, otherSlot(command.to.type), null))
        : undefined
    ),
    kills: [{ rule: "OWN-15", kind: "changed", at: "body.data.attributes.owners.worker" }]
  }
]

/** A link of somebody else than whoever is there. */
const conflictMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-overwrites-the-holder",
    rules: deciding((owners, command) =>
      command._tag === "Link" ? into(withSlot(owners, command.to.type, command.to.id)) : undefined
    ),
    kills: [{ rule: "OWN-04", kind: "status", at: "status" }]
  },
  {
    name: "link-overwrites-an-applicant",
    rules: deciding((owners, command) =>
      command._tag === "Link" && command.to.type === "applicant"
        ? into({ ...owners, applicant: command.to.id })
        : undefined
    ),
    kills: [{ rule: "OWN-04", kind: "status", at: "status" }]
  },
  {
    name: "link-refuses-and-overwrites-the-holder",
    stores: writingWhatIsRefused((refusal, owners, entering) =>
      refusal instanceof AlreadyLinked && entering !== undefined
        ? withSlot(owners, entering.type, entering.id)
        : undefined
    ),
    kills: [{ rule: "OWN-04", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "link-conflict-has-the-code-of-transfer",
    rewrite: Rewrite.answers(
      { ...link, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.code", "OWNER_MISMATCH"))
    ),
    kills: [{ rule: "OWN-04", kind: "wrong-value", at: "body.error.code" }]
  },
  {
    name: "link-conflict-is-an-invalid-argument",
    rules: Seams.rules(ErrorCodes, ({ codeOf }) => ({
      codeOf: (tag) => (tag === "AlreadyLinked" ? "INVALID_ARGUMENT" : codeOf(tag))
    })),
    kills: [{ rule: "OWN-04", kind: "status", at: "status" }]
  },
  {
    name: "link-conflict-gives-no-advice",
    rewrite: Rewrite.answers(
      { ...link, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.message", "The slot has another owner."))
    ),
    kills: [{ rule: "OWN-05", kind: "wrong-value", at: "body.error.message" }]
  }
]

/** Defects of linking one credential. */
export const ownershipLinkMutants: ReadonlyArray<Mutant> = [...linkMutants, ...repeatedMutants, ...conflictMutants]
