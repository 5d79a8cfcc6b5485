export interface Row {
  readonly id: number;
}

export interface Dated extends Row {
  readonly createdAt: string;
  updatedAt: string;
}
