// GitHub's errors. A handler throws an error, and the server sends its status and body.
export interface FieldError {
  readonly resource: string;
  readonly field?: string;
  readonly code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom';
  readonly message?: string;
  readonly value?: unknown;
}

export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly (FieldError | string)[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    message: string,
    details: {
      readonly errors?: readonly (FieldError | string)[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly fields?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.errors = details.errors;
    this.headers = details.headers ?? {};
    this.fields = details.fields ?? {};
  }
}

export function notFound(): ApiError {
  return new ApiError(404, 'Not Found');
}

export function unprocessable(...errors: (FieldError | string)[]): ApiError {
  return new ApiError(422, 'Validation Failed', { errors });
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, message);
}

export function badCredentials(): ApiError {
  return new ApiError(401, 'Bad credentials');
}
