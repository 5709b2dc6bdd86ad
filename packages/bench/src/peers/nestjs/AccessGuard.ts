import { type CanActivate, type ExecutionContext, Injectable } from "@nestjs/common"
import { Reflector } from "@nestjs/core"
import type { Headers, Privilege } from "../Gate.ts"
import { AccessService } from "./AccessService.ts"
import type { PlatformRequest, PlatformResponse } from "./Platform.ts"
import { Refused } from "./Refused.ts"

/** Decorator: the privilege that a route needs. */
export const RequirePrivilege = Reflector.createDecorator<Privilege>()

/** Authenticates, counts the call, and requires the route's privilege. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #access: AccessService
  readonly #reflector: Reflector

  constructor(access: AccessService, reflector: Reflector) {
    this.#access = access
    this.#reflector = reflector
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>()
    const { authorization = "", host = "" } = request.headers
    await this.#access.learn(host, authorization)
    const privilege = this.#reflector.get(RequirePrivilege, context.getHandler())
    const headers: Headers = {}
    const caller = this.#access.gate.enter(request, headers, request.requestId, Date.now(), privilege)
    context.switchToHttp().getResponse<PlatformResponse>().set(headers)
    if ("status" in caller) throw new Refused(caller)
    request.caller = caller
    return true
  }
}
