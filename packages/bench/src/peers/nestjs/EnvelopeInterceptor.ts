import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common"
import type { Request } from "express"
import { map, type Observable } from "rxjs"

/** Wraps every result in the envelope of responses. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { requestId } = context.switchToHttp().getRequest<Request>()
    return next.handle().pipe(map((data: unknown) => ({ data, meta: { requestId } })))
  }
}
