import { assert, describe, it } from "@effect/vitest"
import {
  type DocumentUsage,
  deleted,
  documentLimits,
  fileName,
  requireSpace,
  type StoredDocument,
  shownDocuments
} from "@wcs/domain/document/Document"
import { formNames } from "@wcs/domain/document/DocumentForm"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import { requireOwners } from "@wcs/domain/people/Oversight"
import { Result } from "effect"
import * as fc from "fast-check"

const document: StoredDocument = {
  ...{ id: "doc_1", tenantId: "tnt_1", owner: { type: "credential", id: "cred_1" }, status: "STORED", bytes: 7 },
  ...{ sealedKey: "v1.key", name: "card.pdf", content: { form: "PDF", bytes: 7, sha256: "ab" } },
  ...{ people: noOwners, account: "urn:wcs:account:acc_1", createdAt: 0, deletion: null }
}
const quota = { bytes: 100, documents: 50 }
const none: DocumentUsage = { ofRecord: 0, documents: 0, bytes: 0 }

describe("a document", () => {
  it("needs space of its record, and of its tenant in documents and bytes", () => {
    const limitOf = (usage: Partial<DocumentUsage>, bytes = 10) => {
      const judged = requireSpace({ ...none, ...usage }, quota, bytes)
      return Result.isFailure(judged) ? judged.failure.limit : "fits"
    }
    assert.strictEqual(limitOf({}, 100), "fits")
    assert.strictEqual(limitOf({}, 101), "bytes")
    assert.strictEqual(limitOf({ bytes: 90 }), "fits")
    assert.strictEqual(limitOf({ bytes: 91 }), "bytes")
    assert.strictEqual(limitOf({ documents: 49, ofRecord: documentLimits.ofRecord - 1 }), "fits")
    assert.strictEqual(limitOf({ documents: 50 }), "tenant")
    assert.strictEqual(limitOf({ ofRecord: documentLimits.ofRecord }), "record")
  })

  it("keeps no name, key or hash once it is deleted, and shows who deleted it and why", () => {
    const gone = deleted(document, { account: "urn:wcs:account:acc_2" }, "REPLACED", 1)
    assert.notMatch(JSON.stringify(gone), /card|v1\.key|"ab"/)
    const shown = shownDocuments([document, gone, deleted(document, gone, null, 2)], none, quota)
    assert.lengthOf(shown.documents, 1)
    assert.deepInclude(shown.deleted[0], { reason: "REPLACED", deletedBy: "urn:wcs:account:acc_2" })
    assert.lengthOf(shown.deleted, 1)
    assert.notMatch(JSON.stringify(shown), /v1\.key/)
  })

  it("is saved under a name that a file system takes and that ends as its form says", () => {
    const table: ReadonlyArray<readonly [string, string]> = [
      ["card.pdf", "card.pdf"],
      ["Card.PDF", "Card.PDF"],
      ["card", "card.pdf"],
      ["card.exe", "card.exe.pdf"],
      ["../../etc/passwd", "_.._etc_passwd.pdf"],
      ["c:\\a|b?.pdf", "c__a_b_.pdf"],
      ["exe\u202Efdp.", "exe_fdp.pdf"],
      [".", "document.pdf"]
    ]
    for (const [name, saved] of table) assert.strictEqual(fileName(name, "PDF"), saved)
    assert.strictEqual(fileName("photo.jpeg", "JPEG"), "photo.jpeg")
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.constantFrom(...formNames), (name, form) => {
        const saved = fileName(name, form)
        assert.notMatch(saved, /[\p{Cc}\p{Cf}/\\:*?"<>|]|^\./u)
        assert.isTrue(saved.isWellFormed())
        assert.isAtMost([...saved].length, documentLimits.nameCharacters + 5)
      })
    )
  })

  it("threat 88: is out of reach for a caller who does not reach each owner of the card", () => {
    assert.isTrue(Result.isSuccess(requireOwners("document", { id: "cred_1" })))
    assert.isTrue(Result.isFailure(requireOwners("document", { id: "cred_1", hidden: ["worker_id"] })))
  })
})
