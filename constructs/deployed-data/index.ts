export * from './deployed-data';
