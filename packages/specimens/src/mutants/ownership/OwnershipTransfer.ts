import { OwnerMismatch } from "@wcs/domain/ownership/Ownership"
import type { Mutant } from "../../Mutant.ts"
import {
  because,
  deciding,
  into,
  losing,
  otherSlot,
  withSlot,
  writingWhatIsRefused
} from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const transfer = { method: "POST", path: /^\/credentials\/cred_[^/]+\/transfer$/ }

/** Transfers from the current owner. */
const movingMutants: ReadonlyArray<Mutant> = [
  {
    name: "transfer-answers-202",
    rewrite: Rewrite.answers({ ...transfer, status: 200 }, (answer) => ({ ...answer, status: 202 })),
    kills: [{ rule: "OWN-07", kind: "status", at: "status" }]
  },
  {
    name: "transfer-is-lost",
    stores: losing(({ action }) => action === "transfer"),
    kills: [{ rule: "OWN-07", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "transfer-of-an-applicant-takes-the-worker-out",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && command.to.type === "applicant" && owners.applicant === command.from.id
        ? into({ worker: null, applicant: command.to.id })
        : undefined
    ),
    kills: [{ rule: "OWN-07", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "transfer-of-a-worker-takes-the-applicant-out",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && command.to.type === "worker" && owners.worker === command.from.id
        ? into({ worker: command.to.id, applicant: null })
        : undefined
    ),
    kills: [{ rule: "OWN-07", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }]
  },
  {
    name: "transfer-moves-no-applicant",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && command.from.type === "applicant"
        ? because(new OwnerMismatch({ slot: "applicant", holder: owners.applicant }))
        : undefined
    ),
    kills: [{ rule: "OWN-07", kind: "status", at: "status" }]
  }
]

/** Transfers from another owner. */
const mismatchMutants: ReadonlyArray<Mutant> = [
  {
    name: "transfer-takes-any-from",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && owners[command.from.type] !== null
        ? into(withSlot(owners, command.to.type, command.to.id))
        : undefined
    ),
    kills: [{ rule: "OWN-08", kind: "status", at: "status" }]
  },
  {
    name: "transfer-of-an-applicant-takes-any-from",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && command.to.type === "applicant" && owners.applicant !== null
        ? into({ ...owners, applicant: command.to.id })
        : undefined
    ),
    kills: [{ rule: "OWN-08", kind: "status", at: "status" }]
  },
  {
    name: "transfer-refuses-and-moves",
    stores: writingWhatIsRefused((refusal, owners, entering) =>
      refusal instanceof OwnerMismatch && entering !== undefined
        ? withSlot(owners, entering.type, entering.id)
        : undefined
    ),
    kills: [{ rule: "OWN-08", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "transfer-conflict-has-the-code-of-link",
    rewrite: Rewrite.answers(
      { ...transfer, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.code", "ALREADY_LINKED"))
    ),
    kills: [{ rule: "OWN-08", kind: "wrong-value", at: "body.error.code" }]
  },
  {
    name: "transfer-from-somebody-else-is-ignored",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && owners[command.from.type] !== command.from.id ? { _tag: "Unchanged" } : undefined
    ),
    kills: [{ rule: "OWN-08", kind: "status", at: "status" }]
  },
  {
    name: "transfer-conflict-keeps-the-holder-to-itself",
    rewrite: Rewrite.answers(
      { ...transfer, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.message", "The current owner is another."))
    ),
    kills: [{ rule: "OWN-09", kind: "wrong-value", at: "body.error.message" }]
  },
  {
    name: "transfer-conflict-names-whom-the-caller-named",
    rewrite: Rewrite.answers({ ...transfer, status: 409 }, (answer, { body }) =>
      Rewrite.mapJson((json) => {
        const [from = "nobody"] = /wkr_\w+|app_\w+/.exec(body) ?? []
        return Rewrite.put(json, "error.message", `The current owner is not ${from}.`)
      })(answer)
    ),
    kills: [{ rule: "OWN-09", kind: "wrong-value", at: "body.error.message" }]
  }
]

/** Repeated transfers. */
const repeatedMutants: ReadonlyArray<Mutant> = [
  {
    name: "transfer-said-again-is-a-conflict",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && owners[command.to.type] === command.to.id
        ? because(new OwnerMismatch({ slot: command.to.type, holder: command.to.id }))
        : undefined
    ),
    kills: [
      { rule: "OWN-10", kind: "status", at: "status" },
      { rule: "OWN-15", kind: "status", at: "status" }
    ]
  },
  {
    name: "transfer-said-again-moves-back",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && owners[command.to.type] === command.to.id
        ? into(withSlot(owners, command.to.type, command.from.id))
        : undefined
    ),
    kills: [
      { rule: "OWN-10", kind: "changed", at: "body.data.attributes.owners.worker" },
      { rule: "OWN-15", kind: "changed", at: "body.data.attributes.owners.worker" }
    ]
  },
  {
    name: "transfer-said-again-fills-the-other-slot",
    rules: deciding((owners, command) =>
      command._tag === "Transfer" && owners[command.to.type] === command.to.id
        ? into(withSlot(owners, otherSlot(command.to.type), command.from.id))
        : undefined
    ),
    kills: [
      { rule: "OWN-10", kind: "changed", at: "body.data.attributes.owners.applicant" },
      { rule: "OWN-15", kind: "changed", at: "body.data.attributes.owners.applicant" }
    ]
  }
]

/** Defects of transfers of one credential. */
export const ownershipTransferMutants: ReadonlyArray<Mutant> = [
  ...movingMutants,
  ...mismatchMutants,
  ...repeatedMutants
]
