import { LastOwner, OwnerMismatch } from "@wcs/domain/ownership/Ownership"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
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

const unlink = { method: "POST", path: /^\/credentials\/cred_[^/]+\/unlink$/ }

/** Unlinks of one of two owners. */
const oneOfTwoMutants: ReadonlyArray<Mutant> = [
  {
    name: "unlink-answers-204",
    rewrite: Rewrite.answers({ ...unlink, status: 200 }, (answer) => Rewrite.withText({ ...answer, status: 204 }, "")),
    kills: [
      { rule: "OWN-11", kind: "status", at: "status" },
      { rule: "OWN-14", kind: "status", at: "status" }
    ]
  },
  {
    name: "unlink-is-lost",
    stores: losing(({ action }) => action === "unlink"),
    kills: [{ rule: "OWN-11", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }]
  },
  {
    name: "unlink-takes-both-out",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === command.from.id
        ? into({ worker: null, applicant: null })
        : undefined
    ),
    kills: [{ rule: "OWN-11", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "unlink-lets-no-worker-go",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && command.from.type === "worker" && owners.worker === command.from.id
        ? because(new LastOwner({ holder: command.from.id }))
        : undefined
    ),
    kills: [{ rule: "OWN-11", kind: "status", at: "status" }]
  },
  {
    name: "unlink-of-a-worker-is-an-invalid-argument",
    rewrite: Rewrite.instead({ ...unlink, body: /wkr_/ }, (request, serve) =>
      Effect.map(serve({ ...request, method: "GET", url: request.url.replace(/\/unlink$/, ""), body: "" }), (answer) =>
        Answering.refusal(answer, 400, "INVALID_ARGUMENT", "A worker stays.")
      )
    ),
    kills: [{ rule: "OWN-11", kind: "status", at: "status" }]
  }
]

/** Unlinks of the last owner. */
const lastOwnerMutants: ReadonlyArray<Mutant> = [
  {
    name: "unlink-takes-the-last-owner-out",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === command.from.id
        ? into(withSlot(owners, command.from.type, null))
        : undefined
    ),
    kills: [{ rule: "OWN-12", kind: "status", at: "status" }]
  },
  {
    name: "unlink-takes-the-last-applicant-out",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && command.from.type === "applicant" && owners.applicant === command.from.id
        ? into({ ...owners, applicant: null })
        : undefined
    ),
    kills: [{ rule: "OWN-12", kind: "status", at: "status" }]
  },
  {
    name: "unlink-refuses-and-takes-the-last-owner-out",
    stores: writingWhatIsRefused((refusal) =>
      refusal instanceof LastOwner ? { worker: null, applicant: null } : undefined
    ),
    kills: [{ rule: "OWN-12", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "unlink-answers-200-to-the-last-owner-and-keeps-it",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && owners[otherSlot(command.from.type)] === null ? { _tag: "Unchanged" } : undefined
    ),
    kills: [{ rule: "OWN-12", kind: "status", at: "status" }]
  }
]

/** Unlinks from an empty slot. */
const emptySlotMutants: ReadonlyArray<Mutant> = [
  {
    name: "unlink-of-an-empty-slot-is-a-conflict",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === null
        ? because(new OwnerMismatch({ slot: command.from.type, holder: null }))
        : undefined
    ),
    kills: [{ rule: "OWN-14", kind: "status", at: "status" }],
    alsoKills: ["OWN-15"]
  },
  {
    name: "unlink-of-an-empty-worker-slot-is-a-conflict",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && command.from.type === "worker" && owners.worker === null
        ? because(new OwnerMismatch({ slot: "worker", holder: null }))
        : undefined
    ),
    kills: [{ rule: "OWN-14", kind: "status", at: "status" }]
  },
  {
    name: "unlink-of-an-empty-slot-takes-the-other-owner-out",
    rules: deciding((owners, command) =>
      command._tag === "Unlink" && owners[command.from.type] === null
        ? into({ worker: null, applicant: null })
        : undefined
    ),
    kills: [{ rule: "OWN-14", kind: "changed", at: "body.data.attributes.owners.worker" }],
    alsoKills: ["OWN-15"]
  }
]

/** Deletes of a credential that must keep an owner. */
const deletionMutants: ReadonlyArray<Mutant> = [
  {
    name: "delete-waits-for-the-last-owner-to-go",
    rewrite: Rewrite.instead({ method: "DELETE", path: /^\/credentials\/cred_[^/]+$/ }, (request, serve) =>
      Effect.map(serve({ ...request, method: "GET" }), (answer) =>
        Answering.refusal(answer, 422, "UNPROCESSABLE", "The credential has an owner.")
      )
    ),
    kills: [{ rule: "OWN-22", kind: "status", at: "status" }]
  }
]

/** Defects of unlinks of one credential. */
export const ownershipUnlinkMutants: ReadonlyArray<Mutant> = [
  ...oneOfTwoMutants,
  ...lastOwnerMutants,
  ...emptySlotMutants,
  ...deletionMutants
]
