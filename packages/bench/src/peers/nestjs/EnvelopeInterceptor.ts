import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from "@nestjs/common"
import type { Request, Response } from "express"
import { map, type Observable } from "rxjs"
import type { Shown } from "./CredentialsService.ts"

/** Wraps every result in the envelope of responses, and sends its entity tag. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp()
    const { requestId } = http.getRequest<Request>()
    return next.handle().pipe(
      map(({ data, tag }: Shown) => {
        http.getResponse<Response>().setHeader("etag", tag)
        return { data, meta: { requestId } }
      })
    )
  }
}
