import { OwnerMismatch } from "@wcs/domain/ownership/Ownership"
import { type Mutant, mutant } from "../../Mutant.ts"
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

/** Defects of transfers of one credential. */
export const ownershipTransferMutants: ReadonlyArray<Mutant> = [
  // Transfers from the current owner.
  mutant("transfer-answers-202", "OWN-07 status").answers({ ...transfer, status: 200 }, (answer) => ({
    ...answer,
    status: 202
  })),
  mutant("transfer-is-lost", "OWN-07 wrong-value at body.data.attributes.owners.worker").stores(
    losing(({ action }) => action === "transfer")
  ),
  mutant(
    "transfer-of-an-applicant-takes-the-worker-out",
    "OWN-07 wrong-value at body.data.attributes.owners.worker"
  ).rules(
    deciding("Transfer", (owners, { from, to }) =>
      to.type === "applicant" && owners.applicant === from.id ? into({ worker: null, applicant: to.id }) : undefined
    )
  ),
  mutant(
    "transfer-of-a-worker-takes-the-applicant-out",
    "OWN-07 wrong-value at body.data.attributes.owners.applicant"
  ).rules(
    deciding("Transfer", (owners, { from, to }) =>
      to.type === "worker" && owners.worker === from.id ? into({ worker: to.id, applicant: null }) : undefined
    )
  ),
  mutant("transfer-moves-no-applicant", "OWN-07 status").rules(
    deciding("Transfer", (owners, { from }) =>
      from.type === "applicant"
        ? because(new OwnerMismatch({ slot: "applicant", holder: owners.applicant }))
        : undefined
    )
  ),
  // Transfers from another owner.
  mutant("transfer-takes-any-from", "OWN-08 status").rules(
    deciding("Transfer", (owners, { from, to }) =>
      owners[from.type] !== null ? into(withSlot(owners, to.type, to.id)) : undefined
    )
  ),
  mutant("transfer-of-an-applicant-takes-any-from", "OWN-08 status").rules(
    deciding("Transfer", (owners, { to }) =>
      to.type === "applicant" && owners.applicant !== null ? into({ ...owners, applicant: to.id }) : undefined
    )
  ),
  mutant("transfer-refuses-and-moves", "OWN-08 changed at body.data.attributes.owners.worker").stores(
    writingWhatIsRefused((refusal, owners, entering) =>
      refusal instanceof OwnerMismatch && entering !== undefined
        ? withSlot(owners, entering.type, entering.id)
        : undefined
    )
  ),
  mutant("transfer-conflict-has-the-code-of-link", "OWN-08 wrong-value at body.error.code").answers(
    { ...transfer, status: 409 },
    Rewrite.field("error.code", "ALREADY_LINKED")
  ),
  mutant("transfer-from-somebody-else-is-ignored", "OWN-08 status").rules(
    deciding("Transfer", (owners, { from }) => (owners[from.type] !== from.id ? { _tag: "Unchanged" } : undefined))
  ),
  mutant("transfer-conflict-keeps-the-holder-to-itself", "OWN-09 wrong-value at body.error.message").answers(
    { ...transfer, status: 409 },
    Rewrite.field("error.message", "The current owner is another.")
  ),
  mutant("transfer-conflict-names-whom-the-caller-named", "OWN-09 wrong-value at body.error.message").answers(
    { ...transfer, status: 409 },
    (answer, { body }) =>
      Rewrite.mapJson((json) => {
        const [from = "nobody"] = /wkr_\w+|app_\w+/.exec(body) ?? []
        return Rewrite.put(json, "error.message", `The current owner is not ${from}.`)
      })(answer)
  ),
  // Repeated transfers.
  mutant("transfer-said-again-is-a-conflict", ["OWN-10 status", "OWN-15 status"]).rules(
    deciding("Transfer", (owners, { to }) =>
      owners[to.type] === to.id ? because(new OwnerMismatch({ slot: to.type, holder: to.id })) : undefined
    )
  ),
  mutant(
    "transfer-said-again-moves-back",
    ["OWN-10 changed at body.data.attributes.owners.worker", "OWN-15 changed at body.data.attributes.owners.worker"],
    { alsoKills: ["CRD-06"] }
  ).rules(
    deciding("Transfer", (owners, { from, to }) =>
      owners[to.type] === to.id ? into(withSlot(owners, to.type, from.id)) : undefined
    )
  ),
  mutant(
    "transfer-said-again-fills-the-other-slot",
    [
      "OWN-10 changed at body.data.attributes.owners.applicant",
      "OWN-15 changed at body.data.attributes.owners.applicant"
    ],
    { alsoKills: ["CRD-05"] }
  ).rules(
    deciding("Transfer", (owners, { from, to }) =>
      owners[to.type] === to.id ? into(withSlot(owners, otherSlot(to.type), from.id)) : undefined
    )
  )
]
