-- A Thursday evening, for a shop that has no items yet.
insert into items (id, name, price_cents) values
  ('flat-white', 'Flat white', 450),
  ('house-red', 'House red, glass', 900),
  ('margherita', 'Pizza Margherita', 1300),
  ('soda', 'Rhubarb soda', 500),
  ('steak-frites', 'Steak frites', 2850),
  ('tiramisu', 'Tiramisu', 950);

insert into tickets (id, table_no, status, opened_at, closed_at, void_reason) values
  ('T-4399', 8, 'void', now() - interval '3 hours', now() - interval '170 minutes', 'opened twice'),
  ('T-4402', 3, 'paid', now() - interval '2 hours', now() - interval '50 minutes', null),
  ('T-4417', 12, 'open', now() - interval '41 minutes', null, null),
  ('T-4421', 4, 'open', now() - interval '28 minutes', null, null),
  ('T-4423', 7, 'open', now() - interval '12 minutes', null, null),
  ('T-4430', 9, 'open', now() - interval '60 seconds', null, null),
  ('T-4435', 2, 'open', now() - interval '50 seconds', null, null),
  ('T-4438', 6, 'open', now() - interval '40 seconds', null, null),
  ('T-4441', 5, 'open', now() - interval '30 seconds', null, null);

insert into ticket_lines (ticket_id, line_no, item_id, quantity, unit_price_cents)
select ticket_id, line_no, item_id, quantity, price_cents
from (values
  ('T-4399', 1, 'soda', 2),
  ('T-4402', 1, 'margherita', 2), ('T-4402', 2, 'house-red', 2),
  ('T-4417', 1, 'steak-frites', 2), ('T-4417', 2, 'house-red', 2), ('T-4417', 3, 'tiramisu', 1),
  ('T-4421', 1, 'margherita', 2), ('T-4421', 2, 'soda', 1),
  ('T-4423', 1, 'flat-white', 3),
  ('T-4435', 1, 'soda', 2),
  ('T-4438', 1, 'house-red', 4),
  ('T-4441', 1, 'margherita', 1)
) as lines (ticket_id, line_no, item_id, quantity)
join items on items.id = lines.item_id;
