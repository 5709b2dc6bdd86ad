import { AlreadyLinked, OwnerMismatch } from "@wcs/domain/ownership/Ownership"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
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

/** Defects of single items in batches. */
export const bulkOwnershipItemMutants: ReadonlyArray<Mutant> = [
  // The form of an item.
  mutant("bulk-link-says-unchanged-of-what-was-so-already", [
    "BLK-03 wrong-value at body.data.1.status",
    "BLK-04 wrong-value at body.data.1.status"
  ]).answers(
    { ...bulkLink, status: 200 },
    withItems((items) =>
      items.map(mapItem((item) => (item["status"] === "noop" ? { ...item, status: "unchanged" } : item)))
    )
  ),
  mutant("bulk-link-leaves-out-what-was-so-already", [
    "BLK-03 wrong-value at body.data",
    "BLK-04 missing at body.data"
  ]).answers(
    { ...bulkLink, status: 200 },
    withItems((items) => items.filter((item) => statusOf(item) !== "noop"))
  ),
  mutant("bulk-link-does-not-name-what-was-so-already", [
    "BLK-03 missing at body.data.1.credentialId",
    "BLK-04 missing at body.data"
  ]).answers(
    { ...bulkLink, status: 200 },
    withItems((items) => items.map(mapItem((item) => (item["status"] === "noop" ? { status: "noop" } : item))))
  ),
  mutant("bulk-says-why-of-what-was-so-already", "BLK-06 unexpected at body.data.1.error").answers(
    { ...bulk, status: 200 },
    withItems((items) =>
      items.map(
        mapItem((item) =>
          item["status"] === "noop" ? { ...item, error: { code: "NOOP", message: "Nothing to do." } } : item
        )
      )
    )
  ),
  mutant("bulk-says-why-without-a-message", "BLK-06 missing at body.data.0.error.message").answers(
    { ...bulk, status: 200 },
    withItems((items) =>
      items.map(
        mapItem((item) =>
          item["status"] === "skipped" ? { ...item, error: { code: codeOf(item) ?? "INTERNAL" } } : item
        )
      )
    )
  ),
  mutant("bulk-link-says-why-in-a-bare-text", [
    "BLK-06 missing at body.data.0.error.code",
    "BLK-04 missing at body.data.0.error.code"
  ]).answers(
    { ...bulkLink, status: 200 },
    withItems((items) =>
      items.map(mapItem((item) => (item["status"] === "skipped" ? { ...item, error: "ALREADY_LINKED" } : item)))
    )
  ),
  // The status of an item.
  mutant("bulk-link-overwrites-the-holder", "BLK-04 wrong-value at body.data.0.status").rules(
    decidingInBulk("Link", (owners, { to }) =>
      owners[to.type] !== null && owners[to.type] !== to.id ? into(withSlot(owners, to.type, to.id)) : undefined
    )
  ),
  mutant("bulk-link-conflict-has-the-code-of-transfer", "BLK-04 wrong-value at body.data.0.error.code").rules(
    decidingInBulk("Link", (owners, { to }) => {
      const holder = owners[to.type]
      return holder !== null && holder !== to.id ? because(new OwnerMismatch({ slot: to.type, holder })) : undefined
    })
  ),
  mutant("bulk-link-of-the-holder-is-a-conflict", "BLK-04 wrong-value at body.data.1.status").rules(
    decidingInBulk("Link", (owners, { to }) =>
      owners[to.type] === to.id
        ? because(new AlreadyLinked({ slot: to.type, holder: to.id, advice: "transfer" }))
        : undefined
    )
  ),
  mutant("bulk-transfer-takes-any-from", "BLK-05 wrong-value at body.data.0.status").rules(
    decidingInBulk("Transfer", (owners, { to }) =>
      owners[to.type] !== to.id ? into(withSlot(owners, to.type, to.id)) : undefined
    )
  ),
  mutant("bulk-transfer-conflict-has-the-code-of-link", "BLK-05 wrong-value at body.data.0.error.code").rules(
    decidingInBulk("Transfer", (owners, { from, to }) => {
      const holder = owners[from.type]
      return holder !== null && ![from.id, to.id].includes(holder)
        ? because(new AlreadyLinked({ slot: to.type, holder, advice: "transfer" }))
        : undefined
    })
  ),
  mutant("bulk-transfer-said-again-is-a-conflict", [
    "BLK-16 wrong-value at body.data.0.status",
    "BLK-05 wrong-value at body.data.1.status"
  ]).rules(
    decidingInBulk("Transfer", (owners, { to }) =>
      owners[to.type] === to.id ? because(new OwnerMismatch({ slot: to.type, holder: to.id })) : undefined
    )
  ),
  mutant("bulk-transfer-with-nothing-to-do-is-refused", "BLK-16 status").answers(
    { ...bulkTransfer, status: 200 },
    (answer) =>
      itemsOf(answer).length > 0 && itemsOf(answer).every((item) => statusOf(item) === "noop")
        ? Answering.refusal(answer, 422, "UNPROCESSABLE", "There is nothing to do.")
        : answer
  ),
  mutant("bulk-transfer-with-nothing-to-do-answers-204", "BLK-16 missing at body.data").answers(
    { ...bulkTransfer, status: 200 },
    (answer) =>
      itemsOf(answer).length > 0 && itemsOf(answer).every((item) => statusOf(item) === "noop")
        ? Rewrite.withText({ ...answer, status: 204 }, "")
        : answer
  ),
  // Items of credentials that do not exist.
  mutant("bulk-is-404-where-one-credential-is-unknown", "BLK-13 status").answers({ ...bulk, status: 200 }, (answer) =>
    itemsOf(answer).some((item) => codeOf(item) === "NOT_FOUND")
      ? Answering.refusal(answer, 404, "NOT_FOUND", "One of the credentials is not there.")
      : answer
  ),
  mutant("bulk-leaves-unknown-credentials-out", "BLK-13 missing at body.data").answers(
    { ...bulk, status: 200 },
    withItems((items) => items.filter((item) => codeOf(item) !== "NOT_FOUND"))
  ),
  mutant("bulk-link-says-noop-of-unknown-credentials", "BLK-13 wrong-value at body.data.0.status").answers(
    { ...bulkLink, status: 200 },
    withItems((items) =>
      items.map(
        mapItem((item) =>
          codeOf(item) === "NOT_FOUND" ? { credentialId: item["credentialId"] ?? "", status: "noop" } : item
        )
      )
    )
  ),
  // Effects of a batch that its items do not report, or the reverse.
  mutant("bulk-stops-at-the-first-that-is-skipped", "BLK-14 wrong-value at body.data.2.status", {
    alsoKills: ["BLK-04", "BLK-05"]
  }).rules(
    batches(({ changes, items }) => {
      const first = items.findIndex(({ status }) => status === "skipped")
      const { reason } = items[first] ?? {}
      if (reason === undefined) return { items, changes }
      const done = new Set(items.slice(0, first).map(({ credentialId }) => credentialId))
      return {
        items: items.map((item, index) => (index < first ? item : { ...item, status: "skipped", reason })),
        changes: new Map([...changes].filter(([id]) => done.has(id)))
      }
    })
  ),
  mutant("bulk-says-done-and-rolls-back-where-not-all-was-done", [
    "BLK-14 wrong-value at body.data.attributes.owners.worker",
    "BLK-15 wrong-value at body.data.attributes.owners.worker"
  ]).stores(losing(({ action, changes, found }) => action?.startsWith("bulk") === true && changes.size < found.length)),
  mutant("bulk-link-supersedes-the-applicant", [
    "BLK-14 wrong-value at body.data.attributes.owners.applicant",
    "BLK-15 wrong-value at body.data.attributes.owners.applicant"
  ]).rules(
    decidingInBulk("Link", (owners, { to }) =>
      to.type === "worker" && owners.worker === null ? into({ worker: to.id, applicant: null }) : undefined
    )
  ),
  mutant("bulk-says-skipped-and-moves", "BLK-15 wrong-value at body.data.attributes.owners.worker").rules(
    batches(({ changes, items }, { to }, slots) => ({
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
    }))
  ),
  mutant(
    "bulk-link-says-skipped-and-takes-the-holder-out",
    "BLK-15 wrong-value at body.data.attributes.owners.worker"
  ).rules(
    batches(({ changes, items }, { _tag, to }, slots) => ({
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
    }))
  )
]
