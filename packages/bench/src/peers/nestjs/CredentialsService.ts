import { Injectable } from "@nestjs/common"
import { noCredential } from "../Answer.ts"
import { documentOf, tagOf } from "../Document.ts"
import type { Caller } from "../Gate.ts"
import type { Owner } from "../Link.ts"
import type { CredentialRow } from "../Store.ts"
import { CredentialsRepository } from "./CredentialsRepository.ts"
import { Refused } from "./Refused.ts"

/** A credential with its entity tag. */
export interface Shown {
  readonly data: ReturnType<typeof documentOf>
  readonly tag: string
}

const shown = (row: CredentialRow, now: number): Shown => {
  const data = documentOf(row, now)
  return { data, tag: tagOf(row, data, now) }
}

@Injectable()
export class CredentialsService {
  readonly #repository: CredentialsRepository

  constructor(repository: CredentialsRepository) {
    this.#repository = repository
  }

  async read({ tenantId }: Caller, id: string, includeDeleted: boolean, requestId: string) {
    const row = await this.#repository.find(tenantId, id)
    if (row === undefined || (row.deleted_at !== null && !includeDeleted)) {
      throw new Refused(noCredential(id, requestId))
    }
    return shown(row, Date.now())
  }

  async link(caller: Caller, id: string, owner: Owner, requestId: string) {
    const now = Date.now()
    const linked = await this.#repository.link(caller, id, owner, requestId, now)
    if ("status" in linked) throw new Refused(linked)
    return shown(linked, now)
  }
}
