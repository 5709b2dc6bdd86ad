import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from "@nestjs/common"
import { isCredentialId } from "../Document.ts"
import type { Caller } from "../Gate.ts"
import type { PlatformRequest } from "./Platform.ts"
import { InvalidArgument } from "./Refused.ts"

const requestIn = (context: ExecutionContext): PlatformRequest => context.switchToHttp().getRequest<PlatformRequest>()

/** The caller that the guard has authenticated. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = requestIn(context)
  if (caller === undefined) throw new Error("a route without authentication")
  return caller
})

export const RequestId = createParamDecorator((_: unknown, context: ExecutionContext) => requestIn(context).requestId)

@Injectable()
export class CredentialIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!isCredentialId(id)) throw new InvalidArgument("id: is no id of type credential.")
    return id
  }
}
