import { type CanActivate, type ExecutionContext, Injectable, UnsupportedMediaTypeException } from "@nestjs/common"
import type { PlatformRequest } from "./Platform.ts"

/** Requires a JSON body. */
@Injectable()
export class JsonGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<PlatformRequest>()
    if (!request.is("application/json")) throw new UnsupportedMediaTypeException()
    return true
  }
}
