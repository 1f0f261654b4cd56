/** The formats of values that a vault chooses. */
export const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const isoTimestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** A test card. Its number passes every check but belongs to nobody. */
export const testCard = { number: '4242424242424242', expiration_month: 12, expiration_year: 2050, cvc: '123' };
export const maskedCard = { number: 'XXXXXXXXXXXX4242', expiration_month: 12, expiration_year: 2050 };
