import { DatabaseSync } from "node:sqlite"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { storeFile } from "../data/Dataset.ts"
import { answerQuestions } from "./Questions.ts"

/** A batch that moves credentials between two workers. */
export interface Batch {
  readonly tenantId: string
  readonly from: string
  readonly to: string
  readonly credentialIds: ReadonlyArray<string>
}

const open = (directory: string) => {
  const database = new DatabaseSync(storeFile(directory), { timeout: 2000, enableForeignKeyConstraints: true })
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536")
  return {
    begin: database.prepare("BEGIN IMMEDIATE"),
    update: database.prepare(`UPDATE credential SET worker_id = ?3, version = version + 1, updated_at = ?5
      WHERE tenant_id = ?1 AND worker_id = ?2 AND deleted_at IS NULL AND id IN (SELECT value FROM json_each(?4))
      AND EXISTS (SELECT 1 FROM worker AS w WHERE w.tenant_id = ?1 AND w.id = ?3 AND w.deleted_at IS NULL)`),
    audit: database.prepare(`INSERT INTO audit_event (tenant_id, id, account, bearer_kind, bearer_id, operation, action,
        entity_type, entity_id, request_id, at)
      SELECT ?1, 'aud_' || substr(hex(randomblob(8)), 1, 16), ?2, NULL, NULL, 'UPDATE', 'bulk transfer', 'credential',
        value, 'bench', ?4 FROM json_each(?3)`),
    commit: database.prepare("COMMIT"),
    close: () => database.close()
  }
}

/** The minimal cost of a batch: one statement for the slots and one for the audit entries, in one transaction. */
export const openTransfer = (directory: string) => {
  const { audit, begin, close, commit, update } = open(directory)
  /** Runs a batch and returns its duration in milliseconds. */
  const transfer = ({ credentialIds, from, tenantId, to }: Batch): number => {
    const begun = performance.now()
    const [ids, now] = [JSON.stringify(credentialIds), Date.now()]
    begin.run()
    const { changes } = update.run(tenantId, from, to, ids, now)
    audit.run(tenantId, operatorUrn, ids, now)
    commit.run()
    const millis = performance.now() - begun
    if (changes !== credentialIds.length) throw new Error(`${changes} of ${credentialIds.length} were moved`)
    return millis
  }
  return { transfer, close }
}

/** Runs batches until the parent process disconnects. */
export const serveStatement = (directory: string): void => {
  const { transfer } = openTransfer(directory)
  answerQuestions({ transfer })
}
