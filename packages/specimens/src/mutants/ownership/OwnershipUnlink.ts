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

/** Unlinks of one of two owners. */
const oneOfTwoMutants: ReadonlyArray<Mutant> = [
  mutant("unlink-answers-204", ["OWN-11 status", "OWN-14 status"]).rewrite(
    Rewrite.answers({ ...unlink, status: 200 }, (answer) => Rewrite.withText({ ...answer, status: 204 }, ""))
  ),
  mutant("unlink-is-lost", "OWN-11 wrong-value at body.data.attributes.owners.applicant").stores(
    losing(({ action }) => action === "unlink")
  ),
  mutant("unlink-takes-both-out", "OWN-11 wrong-value at body.data.attributes.owners.worker").rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === command.from.id
        ? into({ worker: null, applicant: null })
        : undefined
    )
  ),
  mutant("unlink-lets-no-worker-go", "OWN-11 status").rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && command.from.type === "worker" && owners.worker === command.from.id
        ? because(new LastOwner({ holder: command.from.id }))
        : undefined
    )
  ),
  mutant("unlink-of-a-worker-is-an-invalid-argument", "OWN-11 status").rewrite(
    Rewrite.instead({ ...unlink, body: /wkr_/ }, (request, serve) =>
      Effect.map(serve({ ...request, method: "GET", url: request.url.replace(/\/unlink$/, ""), body: "" }), (answer) =>
        Answering.refusal(answer, 400, "INVALID_ARGUMENT", "A worker stays.")
      )
    )
  )
]

/** Unlinks of the last owner. */
const lastOwnerMutants: ReadonlyArray<Mutant> = [
  mutant("unlink-takes-the-last-owner-out", "OWN-12 status").rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === command.from.id
        ? into(withSlot(owners, command.from.type, null))
        : undefined
    )
  ),
  mutant("unlink-takes-the-last-applicant-out", "OWN-12 status").rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && command.from.type === "applicant" && owners.applicant === command.from.id
        ? into({ ...owners, applicant: null })
        : undefined
    )
  ),
  mutant("unlink-refuses-and-takes-the-last-owner-out", "OWN-12 changed at body.data.attributes.owners.worker").stores(
    writingWhatIsRefused((refusal) => (refusal instanceof LastOwner ? { worker: null, applicant: null } : undefined))
  ),
  mutant("unlink-answers-200-to-the-last-owner-and-keeps-it", "OWN-12 status").rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && owners[otherSlot(command.from.type)] === null ? { _tag: "Unchanged" } : undefined
    )
  )
]

/** Unlinks from an empty slot. */
const emptySlotMutants: ReadonlyArray<Mutant> = [
  mutant("unlink-of-an-empty-slot-is-a-conflict", "OWN-14 status", { alsoKills: ["OWN-15"] }).rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === null
        ? because(new OwnerMismatch({ slot: command.from.type, holder: null }))
        : undefined
    )
  ),
  mutant("unlink-of-an-empty-worker-slot-is-a-conflict", "OWN-14 status").rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && command.from.type === "worker" && owners.worker === null
        ? because(new OwnerMismatch({ slot: "worker", holder: null }))
        : undefined
    )
  ),
  mutant("unlink-of-an-empty-slot-takes-the-other-owner-out", "OWN-14 changed at body.data.attributes.owners.worker", {
    alsoKills: ["OWN-15"]
  }).rules(
    deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === null
        ? into({ worker: null, applicant: null })
        : undefined
    )
  )
]

/** Deletes of a credential that must keep an owner. */
const deletionMutants: ReadonlyArray<Mutant> = [
  mutant("delete-waits-for-the-last-owner-to-go", "OWN-22 status").rewrite(
    Rewrite.instead({ method: "DELETE", path: /^\/credentials\/cred_[^/]+$/ }, (request, serve) =>
      Effect.map(serve({ ...request, method: "GET" }), (answer) =>
        Answering.refusal(answer, 422, "UNPROCESSABLE", "The credential has an owner.")
      )
    )
  )
]

/** Defects of unlinks of one credential. */
export const ownershipUnlinkMutants: ReadonlyArray<Mutant> = [
  ...oneOfTwoMutants,
  ...lastOwnerMutants,
  ...emptySlotMutants,
  ...deletionMutants
]
