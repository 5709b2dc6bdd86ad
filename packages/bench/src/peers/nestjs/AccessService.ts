import { Inject, Injectable } from "@nestjs/common"
import type { Limits } from "../../Side.ts"
import { Gate } from "../Gate.ts"
import { learntAccess } from "../LearntAccess.ts"
import { AccessRepository } from "./AccessRepository.ts"

/** The token of the rate limits in the container. */
export const LIMITS = Symbol("LIMITS")

/** The checks before every call. */
@Injectable()
export class AccessService {
  readonly gate: Gate
  /** Loads the caller's data that the gate needs; undefined if it is loaded. */
  readonly learn: (host: string, authorization: string) => Promise<void> | undefined

  constructor(repository: AccessRepository, @Inject(LIMITS) limits: Limits) {
    const { learn, ...access } = learntAccess(repository)
    this.learn = learn
    this.gate = new Gate(access, limits)
  }
}
