import { AlreadyLinked, OwnerMismatch } from "@wcs/domain/ownership/Ownership"
import * as Answering from "../../Answering.ts"
import type { Mutant } from "../../Mutant.ts"
import {
  bulk,
  bulkLink,
  bulkTransfer,
  codeOf,
  itemsOf,
  mapItem,
  statusOf,
  withItems
} from "../../seams/BatchRewrite.ts"
import { batches, because, decidingInBulk, into, losing, withSlot } from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

/** The form of an item. */
const shapeMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-link-says-unchanged-of-what-was-so-already",
    rewrite: Rewrite.answers(
      { ...bulkLink, status: 200 },
      withItems((items) =>
        items.map(mapItem((item) => (item["status"] === "noop" ? { ...item, status: "unchanged" } : item)))
      )
    ),
    kills: [
      { rule: "BLK-03", kind: "wrong-value", at: "body.data.1.status" },
      { rule: "BLK-04", kind: "wrong-value", at: "body.data.1.status" }
    ]
  },
  {
    name: "bulk-link-leaves-out-what-was-so-already",
    rewrite: Rewrite.answers(
      { ...bulkLink, status: 200 },
      withItems((items) => items.filter((item) => statusOf(item) !== "noop"))
    ),
    kills: [
      { rule: "BLK-03", kind: "wrong-value", at: "body.data" },
      { rule: "BLK-04", kind: "missing", at: "body.data" }
    ]
  },
  {
    name: "bulk-link-does-not-name-what-was-so-already",
    rewrite: Rewrite.answers(
      { ...bulkLink, status: 200 },
      withItems((items) => items.map(mapItem((item) => (item["status"] === "noop" ? { status: "noop" } : item))))
    ),
    kills: [
      { rule: "BLK-03", kind: "missing", at: "body.data.1.credentialId" },
      { rule: "BLK-04", kind: "missing", at: "body.data" }
    ]
  },
  {
    name: "bulk-says-why-of-what-was-so-already",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withItems((items) =>
        items.map(
          mapItem((item) =>
            item["status"] === "noop" ? { ...item, error: { code: "NOOP", message: "Nothing to do." } } : item
          )
        )
      )
    ),
    kills: [{ rule: "BLK-06", kind: "unexpected", at: "body.data.1.error" }]
  },
  {
    name: "bulk-says-why-without-a-message",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withItems((items) =>
        items.map(
          mapItem((item) =>
            item["status"] === "skipped" ? { ...item, error: { code: codeOf(item) ?? "INTERNAL" } } : item
          )
        )
      )
    ),
    kills: [{ rule: "BLK-06", kind: "missing", at: "body.data.0.error.message" }]
  },
  {
    name: "bulk-link-says-why-in-a-bare-text",
    rewrite: Rewrite.answers(
      { ...bulkLink, status: 200 },
      withItems((items) =>
        items.map(mapItem((item) => (item["status"] === "skipped" ? { ...item, error: "ALREADY_LINKED" } : item)))
      )
    ),
    kills: [
      { rule: "BLK-06", kind: "missing", at: "body.data.0.error.code" },
      { rule: "BLK-04", kind: "missing", at: "body.data.0.error.code" }
    ]
  }
]

/** The status of an item. */
const decisionMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-link-overwrites-the-holder",
    rules: decidingInBulk((owners, command) =>
      command._tag === "Link" && owners[command.to.type] !== null && owners[command.to.type] !== command.to.id
        ? into(withSlot(owners, command.to.type, command.to.id))
        : undefined
    ),
    kills: [{ rule: "BLK-04", kind: "wrong-value", at: "body.data.0.status" }]
  },
  {
    name: "bulk-link-conflict-has-the-code-of-transfer",
    rules: decidingInBulk((owners, command) => {
      const holder = owners[command._tag === "Link" ? command.to.type : "worker"]
      return command._tag === "Link" && holder !== null && holder !== command.to.id
        ? because(new OwnerMismatch({ slot: command.to.type, holder }))
        : undefined
    }),
    kills: [{ rule: "BLK-04", kind: "wrong-value", at: "body.data.0.error.code" }]
  },
  {
    name: "bulk-link-of-the-holder-is-a-conflict",
    rules: decidingInBulk((owners, command) =>
      command._tag === "Link" && owners[command.to.type] === command.to.id
        ? because(new AlreadyLinked({ slot: command.to.type, holder: command.to.id, advice: "transfer" }))
        : undefined
    ),
    kills: [{ rule: "BLK-04", kind: "wrong-value", at: "body.data.1.status" }]
  },
  {
    name: "bulk-transfer-takes-any-from",
    rules: decidingInBulk((owners, command) =>
      command._tag === "Transfer" && owners[command.to.type] !== command.to.id
        ? into(withSlot(owners, command.to.type, command.to.id))
        : undefined
    ),
    kills: [{ rule: "BLK-05", kind: "wrong-value", at: "body.data.0.status" }]
  },
  {
    name: "bulk-transfer-conflict-has-the-code-of-link",
    rules: decidingInBulk((owners, command) => {
      const holder = command._tag === "Transfer" ? owners[command.from.type] : null
      return command._tag === "Transfer" && holder !== null && ![command.from.id, command.to.id].includes(holder)
        ? because(new AlreadyLinked({ slot: command.to.type, holder, advice: "transfer" }))
        : undefined
    }),
    kills: [{ rule: "BLK-05", kind: "wrong-value", at: "body.data.0.error.code" }]
  },
  {
    name: "bulk-transfer-said-again-is-a-conflict",
    rules: decidingInBulk((owners, command) =>
      command._tag === "Transfer" && owners[command.to.type] === command.to.id
        ? because(new OwnerMismatch({ slot: command.to.type, holder: command.to.id }))
        : undefined
    ),
    kills: [
      { rule: "BLK-16", kind: "wrong-value", at: "body.data.0.status" },
      { rule: "BLK-05", kind: "wrong-value", at: "body.data.1.status" }
    ]
  },
  {
    name: "bulk-transfer-with-nothing-to-do-is-refused",
    rewrite: Rewrite.answers({ ...bulkTransfer, status: 200 }, (answer) =>
      itemsOf(answer).length > 0 && itemsOf(answer).every((item) => statusOf(item) === "noop")
        ? Answering.refusal(answer, 422, "UNPROCESSABLE", "There is nothing to do.")
        : answer
    ),
    kills: [{ rule: "BLK-16", kind: "status", at: "status" }]
  },
  {
    name: "bulk-transfer-with-nothing-to-do-answers-204",
    rewrite: Rewrite.answers({ ...bulkTransfer, status: 200 }, (answer) =>
      itemsOf(answer).length > 0 && itemsOf(answer).every((item) => statusOf(item) === "noop")
        ? Rewrite.withText({ ...answer, status: 204 }, "")
        : answer
    ),
    kills: [{ rule: "BLK-16", kind: "missing", at: "body.data" }]
  }
]

/** Items of credentials that do not exist. */
const unknownMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-is-404-where-one-credential-is-unknown",
    rewrite: Rewrite.answers({ ...bulk, status: 200 }, (answer) =>
      itemsOf(answer).some((item) => codeOf(item) === "NOT_FOUND")
        ? Answering.refusal(answer, 404, "NOT_FOUND", "One of the credentials is not there.")
        : answer
    ),
    kills: [{ rule: "BLK-13", kind: "status", at: "status" }]
  },
  {
    name: "bulk-leaves-unknown-credentials-out",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withItems((items) => items.filter((item) => codeOf(item) !== "NOT_FOUND"))
    ),
    kills: [{ rule: "BLK-13", kind: "missing", at: "body.data" }]
  },
  {
    name: "bulk-link-says-noop-of-unknown-credentials",
    rewrite: Rewrite.answers(
      { ...bulkLink, status: 200 },
      withItems((items) =>
        items.map(
          mapItem((item) =>
            codeOf(item) === "NOT_FOUND" ? { credentialId: item["credentialId"] ?? "", status: "noop" } : item
          )
        )
      )
    ),
    kills: [{ rule: "BLK-13", kind: "wrong-value", at: "body.data.0.status" }]
  }
]

/** Effects of a batch that its items do not report, or the reverse. */
const effectMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-stops-at-the-first-that-is-skipped",
    rules: batches(({ changes, items }) => {
      const first = items.findIndex(({ status }) => status === "skipped")
      const { reason } = items[first] ?? {}
      if (reason === undefined) return { items, changes }
      const done = new Set(items.slice(0, first).map(({ credentialId }) => credentialId))
      return {
        items: items.map((item, index) => (index < first ? item : { ...item, status: "skipped", reason })),
        changes: new Map([...changes].filter(([id]) => done.has(id)))
      }
    }),
    kills: [{ rule: "BLK-14", kind: "wrong-value", at: "body.data.2.status" }],
    alsoKills: ["BLK-04", "BLK-05"]
  },
  {
    name: "bulk-says-done-and-rolls-back-where-not-all-was-done",
    stores: losing(({ action, changes, found }) => action?.startsWith("bulk") === true && changes.size < found.length),
    kills: [
      { rule: "BLK-14", kind: "wrong-value", at: "body.data.attributes.owners.worker" },
      { rule: "BLK-15", kind: "wrong-value", at: "body.data.attributes.owners.worker" }
    ]
  },
  {
    name: "bulk-link-supersedes-the-applicant",
    rules: decidingInBulk((owners, command) =>
      command._tag === "Link" && command.to.type === "worker" && owners.worker === null
        ? into({ worker: command.to.id, applicant: null })
        : undefined
    ),
    kills: [
      { rule: "BLK-14", kind: "wrong-value", at: "body.data.attributes.owners.applicant" },
      { rule: "BLK-15", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }
    ]
  },
  {
    name: "bulk-says-skipped-and-moves",
    rules: batches(({ changes, items }, { to }, slots) => ({
      items,
      changes: new Map([
        ...changes,
        ...items.flatMap(({ credentialId, reason }) => {
          const owners = slots.get(credentialId)
          return owners === undefined || !(reason instanceof AlreadyLinked || reason instanceof OwnerMismatch)
            ? []
            : [[credentialId, withSlot(owners, to.type, to.id)] as const]
        })
      ])
    })),
    kills: [{ rule: "BLK-15", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "bulk-link-says-skipped-and-takes-the-holder-out",
    rules: batches(({ changes, items }, { _tag, to }, slots) => ({
      items,
      changes: new Map([
        ...changes,
        ...items.flatMap(({ credentialId, reason }) => {
          const owners = slots.get(credentialId)
          return owners === undefined || _tag !== "Link" || !(reason instanceof AlreadyLinked)
            ? []
            : [[credentialId, withSlot(owners, to.type, null)] as const]
        })
      ])
    })),
    kills: [{ rule: "BLK-15", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  }
]

/** Defects of single items in batches. */
export const bulkOwnershipItemMutants: ReadonlyArray<Mutant> = [
  ...shapeMutants,
  ...decisionMutants,
  ...unknownMutants,
  ...effectMutants
]
