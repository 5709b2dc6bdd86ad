import { LastOwner, OwnerMismatch } from "@wcs/domain/ownership/Ownership"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
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

const unlink = { method: "POST", path: /^\/credentials\/cred_[^/]+\/unlink$/ }

/** Defects of unlinks of one credential. */
export const ownershipUnlinkMutants: ReadonlyArray<Mutant> = [
  // Unlinks of one of two owners.
  mutant("unlink-answers-204", ["OWN-11 status", "OWN-14 status"]).answers({ ...unlink, status: 200 }, (answer) =>
    Rewrite.withText({ ...answer, status: 204 }, "")
  ),
  mutant("unlink-is-lost", "OWN-11 wrong-value at body.data.attributes.owners.applicant").stores(
    losing(({ action }) => action === "unlink")
  ),
  mutant("unlink-takes-both-out", "OWN-11 wrong-value at body.data.attributes.owners.worker").rules(
    deciding("Unlink", (owners, { from }) =>
      owners[from.type] === from.id ? into({ worker: null, applicant: null }) : undefined
    )
  ),
  mutant("unlink-lets-no-worker-go", "OWN-11 status").rules(
    deciding("Unlink", (owners, { from }) =>
      from.type === "worker" && owners.worker === from.id ? because(new LastOwner({ holder: from.id })) : undefined
    )
  ),
  mutant("unlink-of-a-worker-is-an-invalid-argument", "OWN-11 status").instead(
    { ...unlink, body: /wkr_/ },
    (request, serve) =>
      Effect.map(serve({ ...request, method: "GET", url: request.url.replace(/\/unlink$/, ""), body: "" }), (answer) =>
        Answering.refusal(answer, 400, "INVALID_ARGUMENT", "A worker stays.")
      )
  ),
  // Unlinks of the last owner.
  mutant("unlink-takes-the-last-owner-out", "OWN-12 status").rules(
    deciding("Unlink", (owners, { from }) =>
      owners[from.type] === from.id ? into(withSlot(owners, from.type, null)) : undefined
    )
  ),
  mutant("unlink-takes-the-last-applicant-out", "OWN-12 status").rules(
    deciding("Unlink", (owners, { from }) =>
      from.type === "applicant" && owners.applicant === from.id ? into({ ...owners, applicant: null }) : undefined
    )
  ),
  mutant("unlink-refuses-and-takes-the-last-owner-out", "OWN-12 changed at body.data.attributes.owners.worker").stores(
    writingWhatIsRefused((refusal) => (refusal instanceof LastOwner ? { worker: null, applicant: null } : undefined))
  ),
  mutant("unlink-answers-200-to-the-last-owner-and-keeps-it", "OWN-12 status").rules(
    deciding("Unlink", (owners, { from }) =>
      owners[otherSlot(from.type)] === null ? { _tag: "Unchanged" } : undefined
    )
  ),
  // Unlinks from an empty slot.
  mutant("unlink-of-an-empty-slot-is-a-conflict", "OWN-14 status", { alsoKills: ["OWN-15"] }).rules(
    deciding("Unlink", (owners, { from }) =>
      owners[from.type] === null ? because(new OwnerMismatch({ slot: from.type, holder: null })) : undefined
    )
  ),
  mutant("unlink-of-an-empty-worker-slot-is-a-conflict", "OWN-14 status").rules(
    deciding("Unlink", (owners, { from }) =>
      from.type === "worker" && owners.worker === null
        ? because(new OwnerMismatch({ slot: "worker", holder: null }))
        : undefined
    )
  ),
  mutant("unlink-of-an-empty-slot-takes-the-other-owner-out", "OWN-14 changed at body.data.attributes.owners.worker", {
    alsoKills: ["OWN-15"]
  }).rules(
    deciding("Unlink", (owners, { from }) =>
      owners[from.type] === null ? into({ worker: null, applicant: null }) : undefined
    )
  ),
  // Deletes of a credential that must keep an owner.
  mutant("delete-waits-for-the-last-owner-to-go", "OWN-22 status").instead(
    { method: "DELETE", path: /^\/credentials\/cred_[^/]+$/ },
    (request, serve) =>
      Effect.map(serve({ ...request, method: "GET" }), (answer) =>
        Answering.refusal(answer, 422, "UNPROCESSABLE", "The credential has an owner.")
      )
  )
]
